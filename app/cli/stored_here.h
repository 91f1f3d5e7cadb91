// One subcommand at work: the words it got, and what is stored for the folder it runs in.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "agent/store/project_dir.h"
#include "agent/store/store.h"
#include "app/config/config.h"
#include "app/config/options.h"

namespace tern {

struct Subcommand {
  const Options& options;
  Config& config;
  ProjectDir project;
  std::unique_ptr<Store> store;  // null when there is none
};

void say(const std::string& text);
int complain(const std::string& text, int status = 1);  // gives the status
std::string dump(const nlohmann::ordered_json& json);
std::string argument(const Subcommand& command, std::size_t n = 0);
int no_history(const Subcommand& command);  // says so

int show_context(Subcommand& command);  // `tern context`, `tern context log`, `tern context tune`

}  // namespace tern
