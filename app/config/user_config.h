// Writes single values into the user's own config.json: comments, order and everything else in it stay as
// they are.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/config/config.h"

namespace tern {

struct KeptSetting {
  bool ok = false;
  std::string
      text;  // for people: "theme: \"auto\" → \"dark\"  (~/.config/tern/config.json)", or what is wrong
  std::string value;  // as JSON text, when ok
};

// A value as people write it, for one key of the table ("theme", "microAt"). `now` is what holds in this run,
// and follows unless a variable or a flag goes before the file.
KeptSetting keep_setting(const std::filesystem::path& user_file, Config& now, std::string_view key,
                         std::string_view value);
// JSON text at a key, also below one of the table ("providers.openai.key"); "null" takes it out. What is
// wrong; empty when written. The file is left readable by its owner only.
std::string write_setting(const std::filesystem::path& user_file, std::string_view key,
                          std::string_view json);
// "~/.config/tern/config.json"
std::string shown_file(const std::filesystem::path& file, const std::filesystem::path& home);

}  // namespace tern
