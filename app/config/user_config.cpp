#include "app/config/user_config.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "agent/store/project_dir.h"
#include "app/config/config.h"
#include "app/config/config_keys.h"
#include "app/config/jsonc.h"
#include "app/config/jsonc_edit.h"
#include "app/config/option_table.h"
#include "ui/terminal/theme_names.h"

namespace tern {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<std::string> parts_of(std::string_view key) {
  std::vector<std::string> parts;
  while (true) {
    const auto dot = std::min(key.find('.'), key.size());
    parts.emplace_back(key.substr(0, dot));
    if (dot == key.size()) return parts;
    key.remove_prefix(dot + 1);
  }
}

// A file kept elsewhere and linked to its place stays there.
fs::path real_file(const fs::path& file) {
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  return error ? file : real;
}

std::string unknown_key(std::string_view key) {
  const auto known = config_keys();
  auto near = nearest_word(key, known);
  if (near.empty()) near = nearest_word(std::string(kCompression) + std::string(key), known);
  return "No setting is called \"" + std::string(key) + "\"" +
         (near.empty() ? ": tern config lists them." : "; did you mean " + near + "?");
}

bool is_theme(std::string_view name) {
  if (name == "auto") return true;
  const auto names = theme_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string shown_file(const fs::path& file, const fs::path& home) {
  const std::string text = file.string(), below = home.string() + "/";
  return below.size() > 1 && text.starts_with(below) ? "~/" + text.substr(below.size()) : text;
}

std::string write_setting(const fs::path& user_file, std::string_view key, std::string_view json) {
  if (user_file.empty()) return "There is no home folder to keep settings in.";
  const fs::path file = real_file(user_file);
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::string why;
  const bool bare = text.find_first_not_of(" \t\r\n") == text.npos;
  if (!bare && !parse_jsonc(text, why).is_object())
    return user_file.string() + ": " + (why.empty() ? "it is not an object" : why) + ". Nothing was written.";
  const std::vector<std::string> flat{std::string(key)};
  const auto edited = set_jsonc(bare ? "" : text, has_jsonc(text, flat) ? flat : parts_of(key), json);
  if (edited == text) return {};
  if (!edited.empty() && !parse_jsonc(edited, why).is_object())
    return user_file.string() + " could not be changed; edit it by hand.";
  std::error_code error;
  if (fs::create_directories(file.parent_path(), error); !error && bare)
    fs::permissions(file.parent_path(), fs::perms::owner_all, error);
  return write_private_file(file, edited, why) ? std::string() : why;
}

KeptSetting keep_setting(const fs::path& user_file, Config& now, std::string_view name,
                         std::string_view value) {
  const ConfigKey* key = find_key(name);
  if (!key) key = find_key(std::string(kCompression) + std::string(name));
  if (!key) return {.text = unknown_key(name)};
  if (key->name == "theme" && !is_theme(value))
    return {.text = "There is no theme \"" + std::string(value) + "\"."};
  if (key->set_parts)
    return {.text = "\"" + key->name + "\" has parts: edit it in " + user_file.string() + "."};
  Config changed = now;
  if (const auto wrong = set_config(changed, key->name, value, "not changed"); !wrong.empty())
    return {.text = wrong};
  const auto before = key->get(now).dump(), after = key->get(changed).dump();
  if (const auto wrong = write_setting(user_file, key->name, after); !wrong.empty()) return {.text = wrong};
  KeptSetting kept{true, key->name + ": " + before + " → " + after, after};
  const auto origin = now.origins.find(key->name);
  const bool outranked =
      origin != now.origins.end() && (origin->second.starts_with("$") || origin->second.starts_with("--"));
  if (outranked)
    kept.text += "\n" + origin->second + " takes precedence over it.";
  else
    set_config(now, key->name, after, user_file.string());
  return kept;
}

}  // namespace tern
