// One key of the configuration: how it is read, shown, checked and explained.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/config/settings.h"

namespace tern {

struct ConfigKey {
  std::string name;   // "compression.microAt"
  std::string wants;  // "a number from 0 to 1", for the message when it is something else
  std::string help;
  std::function<bool(Config&, const nlohmann::json&)> set;  // false: not what it wants
  std::function<nlohmann::json(const Config&)> get;
  bool text = false;  // a bare word on the command line is meant literally
  // Instead of `set`, for objects of named parts: what is right is taken, the rest named in `wrong` without
  // its value.
  std::function<bool(Config&, const nlohmann::json&, std::vector<std::string>& wrong)> set_parts = nullptr;
};

}  // namespace tern
