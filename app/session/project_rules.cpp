#include "app/session/project_rules.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tern {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json read(const fs::path& file) {
  std::ifstream in(file);
  Json json = in ? Json::parse(in, nullptr, false) : Json::object();
  return json.is_object() ? json : Json(nullptr);
}

std::vector<std::string> rules_in(const Json& json, const std::string& project) {
  std::vector<std::string> rules;
  const auto found = json.find(project);
  if (found == json.end() || !found->is_array()) return rules;
  for (const Json& rule : *found)
    if (rule.is_string()) rules.push_back(rule.get<std::string>());
  return rules;
}

std::string write(const fs::path& file, const Json& json) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  const fs::path fresh = file.string() + ".new";
  std::ofstream out(fresh, std::ios::trunc);
  ::chmod(fresh.c_str(), 0600);
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  out.close();
  if (!out || std::rename(fresh.c_str(), file.c_str()) != 0)
    return "cannot write " + file.string() + ": " + std::strerror(errno);
  return {};
}

}  // namespace

std::vector<std::string> ProjectRules::load() const {
  const Json json = read(file_);
  return json.is_object() ? rules_in(json, project_.string()) : std::vector<std::string>();
}

std::string ProjectRules::add(const std::string& rule) const { return change(rule, true); }
std::string ProjectRules::remove(const std::string& rule) const { return change(rule, false); }

std::string ProjectRules::change(const std::string& rule, bool keep) const {
  if (file_.empty()) return "there is no home folder to keep it in";
  Json json = read(file_);
  if (!json.is_object()) return file_.string() + " is not a JSON object";
  auto rules = rules_in(json, project_.string());
  std::erase(rules, rule);
  if (keep) rules.push_back(rule);
  if (rules.empty())
    json.erase(project_.string());
  else
    json[project_.string()] = rules;
  return write(file_, json);
}

}  // namespace tern
