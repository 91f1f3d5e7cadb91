#include "app/cli/imported_servers.h"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "agent/mcp/server_entry.h"
#include "app/cli/codex_servers.h"
#include "app/config/jsonc.h"

namespace tern {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestName = 64;

enum class Dialect { claude, codex, gemini, opencode, crush };

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::size_t end_of_name(std::string_view text, std::size_t at) {
  while (at < text.size() && is_plain(text[at])) ++at;
  return at;
}

// "$NAME" becomes "${NAME}", as it is written here.
std::string with_braces(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = text[i] == '$' ? end_of_name(text, i + 1) : i;
    if (end > i + 1) {
      out += "${" + std::string(text.substr(i + 1, end - i - 1)) + "}";
      i = end;
    } else {
      out += text[i++];
    }
  }
  return out;
}

// "{env:NAME}" and "${env:NAME}" become "${NAME}".
std::string with_plain_names(std::string text) {
  constexpr std::string_view mark = "{env:";
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    text.replace(at, mark.size(), "{");
    if (at == 0 || text[at - 1] != '$') text.insert(at++, "$");
  }
  return text;
}

void change_texts(json& value, const std::function<std::string(const std::string&)>& change) {
  if (value.is_string()) value = change(value.get_ref<const std::string&>());
  if (!value.is_structured()) return;
  for (json& each : value) change_texts(each, change);
}

bool holds_text(const json& value, std::string_view part) {
  if (value.is_string()) return value.get_ref<const std::string&>().find(part) != std::string::npos;
  return value.is_structured() &&
         std::any_of(value.begin(), value.end(), [&](const json& each) { return holds_text(each, part); });
}

void rename(json& entry, const char* from, const char* to) {
  if (!entry.contains(from)) return;
  json value = entry[from];
  entry.erase(from);
  entry[to] = std::move(value);
}

void convert_crush(json& entry) {
  change_texts(entry, with_braces);
  rename(entry, "disabled_tools", "disabledTools");
  rename(entry, "enabled_tools", "enabledTools");
  if (!entry.contains("timeout")) return;
  const json seconds = entry["timeout"];
  entry.erase("timeout");  // of the connection, not of calls
  if (seconds.is_number()) entry["startupTimeout"] = static_cast<std::int64_t>(seconds.get<double>() * 1'000);
}

// Empty, or what of the entry has no counterpart here.
std::string convert(json& entry, Dialect dialect) {
  change_texts(entry, with_plain_names);
  if (dialect == Dialect::gemini) {
    change_texts(entry, with_braces);
    if (entry.value("authProviderType", json("dynamic_discovery")) != "dynamic_discovery")
      return "it signs in with credentials of Google, which tern does not use";
    if (entry.contains("httpUrl")) entry.erase("url");
  }
  if (dialect == Dialect::opencode) {
    if (holds_text(entry, "{file:")) return "it reads a text from a file, {file:…}. Put a variable there";
    if (entry.contains("oauth") && entry["oauth"].is_object()) rename(entry["oauth"], "scope", "scopes");
  }
  if (dialect == Dialect::crush) {
    if (holds_text(entry, "$(")) return "it runs a command in a text, $(…). Put a variable there";
    convert_crush(entry);
  }
  return {};
}

std::string fitting(const std::string& name) {
  std::string fits;
  for (const char c : name) {
    const char kept = is_plain(c) || c == '-' ? c : '-';
    if (kept != '_' || !fits.ends_with('_')) fits += kept;
  }
  return fits.substr(0, kLongestName);
}

bool lists(const json& list, const std::string& name) {
  return list.is_array() && std::find(list.begin(), list.end(), json(name)) != list.end();
}

json member(const json& object, const std::string& name) {
  return object.is_object() ? object.value(name, json()) : json();
}

class Import {
 public:
  Import(std::filesystem::path file, std::filesystem::path folder)
      : file_(std::move(file)), folder_(std::move(folder)) {}

  ImportedServers read(std::string_view text) {
    if (file_.extension() == ".toml") {
      take_all(codex_servers(text), [](const json&) { return Dialect::codex; });
      return std::move(read_);
    }
    std::string why;
    const json root = parse_jsonc(text, why);
    if (!why.empty() && !text.empty()) read_.notes.push_back(file_.string() + ": " + why);
    const json project = member(member(root, "projects"), folder_.string());
    off_ = member(project, "disabledMcpServers");
    const auto of_claude = [](const json&) { return Dialect::claude; };
    take_all(member(project, "mcpServers"), of_claude);
    if (is_gemini(root)) {
      off_ = member(member(root, "mcp"), "excluded");
      only_ = member(member(root, "mcp"), "allowed");
      take_all(member(root, "mcpServers"), [](const json&) { return Dialect::gemini; });
      return std::move(read_);
    }
    take_all(member(root, "mcpServers"), of_claude);
    take_all(member(root, "mcp"), [](const json& entry) {
      const json type = member(entry, "type");
      return type == "local" || type == "remote" ? Dialect::opencode : Dialect::crush;
    });
    return std::move(read_);
  }

 private:
  bool is_gemini(const json& root) const {
    if (file_.parent_path().filename() == ".gemini") return true;
    const json servers = member(root, "mcpServers");
    return servers.is_object() && std::any_of(servers.begin(), servers.end(), [](const json& entry) {
             return entry.is_object() && (entry.contains("httpUrl") || entry.contains("includeTools") ||
                                          entry.contains("excludeTools"));
           });
  }

  void take_all(const json& servers, const std::function<Dialect(const json&)>& dialect_of) {
    if (!servers.is_object()) return;
    for (const auto& [name, value] : servers.items()) {
      if (!value.is_object()) continue;
      json entry = value;
      const std::string why = convert(entry, dialect_of(value));
      if (lists(off_, name) || (only_.is_array() && !only_.empty() && !lists(only_, name)))
        entry["enabled"] = false;
      const bool known = std::any_of(read_.entries.begin(), read_.entries.end(),
                                     [&](const auto& each) { return each.first == fitting(name); });
      if (!why.empty())
        read_.notes.push_back(file_.string() + ": MCP server \"" + name + "\" is not taken over: " + why +
                              ".");
      else if (!known)
        read_.entries.emplace_back(fitting(name), std::move(entry));
    }
  }

  std::filesystem::path file_, folder_;
  json off_, only_;  // names of servers
  ImportedServers read_;
};

}  // namespace

ImportedServers imported_servers(std::string_view text, const std::filesystem::path& file,
                                 const std::filesystem::path& folder) {
  return Import(file, folder).read(text);
}

}  // namespace tern
