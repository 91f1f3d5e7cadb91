// What a client may set of a session: the permission mode, the model, how much it thinks, the form of
// summaries.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/protocol/command.h"
#include "app/session/session_setup.h"

namespace tern {

struct AcpModelRow {
  std::string value, name;
};

struct AcpOptions {
  PermissionMode mode = PermissionMode::ask;
  bool bypass = false;  // is among the modes
  std::string model;    // "provider/name"
  int thinking = 0;
  SummaryStyle style = SummaryStyle::sections;
  std::vector<AcpModelRow> models;  // that can be used now

  nlohmann::json modes() const;   // SessionModeState
  nlohmann::json config() const;  // the list of config options
  // What carries the change out, and the new value is in place; nothing when there is no such option or
  // value.
  std::optional<Command> set(std::string_view option, std::string_view value);
};

std::optional<PermissionMode> mode_of_id(std::string_view id);
// Those with a key; local servers are not asked, which would take its time.
std::vector<AcpModelRow> usable_models(const SessionSetup& setup, const std::string& current);

}  // namespace tern
