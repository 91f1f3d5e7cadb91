#include "app/cli/codex_servers.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tern {

namespace {

using nlohmann::json;

constexpr int kDeepest = 16;

class Toml {
 public:
  explicit Toml(std::string_view text) : text_(text) {}

  json read() {
    json root = json::object(), aside;
    json* table = &root;
    for (skip(true); good_ && at_ < text_.size(); skip(true)) {
      if (take('[')) {
        const bool list = take('[');  // of tables: none of what is looked for is in one
        const std::vector<std::string> names = path();
        good_ = good_ && take(']') && (!list || take(']'));
        if (good_) table = list ? &(aside = json::object()) : inside(root, names);
      } else {
        assign(*table, 0);
      }
    }
    return root;
  }

 private:
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (now() != c) return false;
    ++at_;
    return true;
  }
  void skip(bool lines) {
    for (; at_ < text_.size(); ++at_) {
      if (now() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      const char c = now();
      if (c != ' ' && c != '\t' && !(lines && (c == '\n' || c == '\r'))) return;
    }
  }
  static bool bare(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  }

  std::vector<std::string> path() {
    std::vector<std::string> names;
    do {
      skip(false);
      std::string name;
      if (now() == '"' || now() == '\'') name = text();
      while (bare(now())) name += text_[at_++];
      good_ = good_ && !name.empty();
      names.push_back(std::move(name));
      skip(false);
    } while (good_ && take('.'));
    return names;
  }

  json* inside(json& root, const std::vector<std::string>& names) {
    json* place = &root;
    for (const std::string& name : names) {
      if (!place->is_object()) *place = json::object();
      place = &(*place)[name];
    }
    if (place->is_null()) *place = json::object();
    return place;
  }

  void assign(json& table, int depth) {
    std::vector<std::string> names = path();
    good_ = good_ && take('=');
    if (!good_) return;
    const std::string last = std::move(names.back());
    names.pop_back();
    json* place = inside(table, names);
    if (place->is_object())
      (*place)[last] = value(depth);
    else
      value(depth);
  }

  // A quoted text; the escapes of TOML that people use are those of JSON.
  std::string text() {
    const char quote = text_[at_];
    const std::string three(3, quote);
    const bool several = text_.substr(at_, 3) == three;
    const std::size_t begin = at_ + (several ? 3 : 1);
    std::size_t end = begin;
    for (; end < text_.size(); ++end) {
      if (quote == '"' && text_[end] == '\\')
        ++end;
      else if (several ? text_.substr(end, 3) == three : text_[end] == quote)
        break;
    }
    good_ = good_ && end < text_.size();
    if (!good_) return {};
    at_ = end + (several ? 3 : 1);
    const std::string inner(text_.substr(begin, end - begin));
    if (quote == '\'' || several) return inner;
    const json read = json::parse('"' + inner + '"', nullptr, false);
    return read.is_string() ? read.get<std::string>() : inner;
  }

  json value(int depth) {
    skip(false);
    if (depth > kDeepest) good_ = false;
    if (!good_) return nullptr;
    if (now() == '"' || now() == '\'') return text();
    if (take('[')) return list(depth);
    if (take('{')) return inline_table(depth);
    const std::size_t end = std::min(text_.find_first_of(",]}#\r\n", at_), text_.size());
    std::string word(text_.substr(at_, end - at_));
    at_ = end;
    word.erase(word.find_last_not_of(" \t") + 1);
    std::string number = word;
    std::erase(number, '_');  // 30_000
    json read = json::parse(number, nullptr, false);
    return read.is_discarded() ? json(word) : read;
  }

  json list(int depth) {
    json values = json::array();
    for (skip(true); good_ && !take(']'); skip(true)) {
      good_ = at_ < text_.size();
      if (good_) values.push_back(value(depth + 1));
      skip(true);
      take(',');
    }
    return values;
  }

  json inline_table(int depth) {
    json table = json::object();
    for (skip(true); good_ && !take('}'); skip(true)) {
      assign(table, depth + 1);
      skip(true);
      take(',');
    }
    return table;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool good_ = true;
};

std::string variable(const std::string& name) { return "${" + name + "}"; }

void add_sign_in(const json& table, json& entry) {
  const json oauth = table.value("oauth", json());
  if (table.contains("scopes")) entry["oauth"]["scopes"] = table["scopes"];
  for (const auto& [from, to] : {std::pair{"client_id", "clientId"}, {"callback_port", "callbackPort"}})
    if (oauth.is_object() && oauth.contains(from)) entry["oauth"][to] = oauth[from];
}

// "auto" is what is done here anyway.
void add_policies(const json& table, json& entry) {
  const json tools = table.value("tools", json::object());
  for (const auto& [name, tool] : tools.items()) {
    const json mode = tool.is_object() ? tool.value("approval_mode", json()) : json();
    if (mode == "prompt" || mode == "approve")
      entry["tools"].push_back(
          {{"name", name}, {"permission_policy", mode == "prompt" ? "always_ask" : "always_allow"}});
  }
}

json entry_of(const json& table) {
  json entry = json::object();
  const auto member = [&](const char* name) { return table.value(name, json()); };
  for (const auto& [from, to] : {std::pair{"command", "command"},
                                 {"args", "args"},
                                 {"env", "env"},
                                 {"cwd", "cwd"},
                                 {"url", "url"},
                                 {"http_headers", "headers"},
                                 {"enabled", "enabled"},
                                 {"enabled_tools", "enabledTools"},
                                 {"disabled_tools", "disabledTools"},
                                 {"http_headers_helper", "headersHelper"},
                                 {"startup_timeout_ms", "startupTimeout"}})
    if (table.contains(from)) entry[to] = table[from];
  for (const json& name : member("env_vars"))
    if (const json plain = name.is_object() ? name.value("name", json()) : name; plain.is_string())
      entry["env"][plain.get<std::string>()] = variable(plain);
  const json headers = member("env_http_headers");
  for (const auto& [header, name] : headers.items())
    if (name.is_string()) entry["headers"][header] = variable(name);
  if (const json token = member("bearer_token_env_var"); token.is_string())
    entry["headers"]["Authorization"] = "Bearer " + variable(token);
  for (const auto& [from, to] :
       {std::pair{"startup_timeout_sec", "startupTimeout"}, {"tool_timeout_sec", "timeout"}})
    if (const json seconds = member(from); seconds.is_number())
      entry[to] = static_cast<std::int64_t>(seconds.get<double>() * 1'000);
  add_sign_in(table, entry);
  add_policies(table, entry);
  return entry;
}

}  // namespace

json codex_servers(std::string_view toml) {
  json servers = json::object();
  const json root = Toml(toml).read();
  const json tables = root.value("mcp_servers", json::object());
  for (const auto& [name, table] : tables.items())
    if (table.is_object()) servers[name] = entry_of(table);
  return servers;
}

}  // namespace tern
