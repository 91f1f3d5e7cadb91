#include "agent/mcp/param_headers.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/mcp/rpc.h"

namespace tern {

namespace {

using nlohmann::json;

constexpr const char* kMark = "x-mcp-header";
constexpr std::size_t kDeepest = 8, kMost = 32;

bool is_header_name(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), fits);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_plain(const json& schema) {
  const std::string type = member_text(schema, "type");
  return type == "string" || type == "integer" || type == "boolean";
}

// A mark anywhere but at a property that is always where its path says could not be followed.
bool marked_inside(const json& value) {
  if (value.is_object() && value.contains(kMark)) return true;
  return value.is_structured() && std::any_of(value.begin(), value.end(), marked_inside);
}

bool read(const json& schema, const std::vector<std::string>& path, std::vector<ParamHeader>& headers) {
  if (!schema.is_object() || path.size() > kDeepest) return !marked_inside(schema);
  for (const auto& [key, value] : schema.items()) {
    if (key != "properties") {
      if (marked_inside(value)) return false;
      continue;
    }
    if (!value.is_object()) continue;
    for (const auto& [name, property] : value.items()) {
      std::vector<std::string> below = path;
      below.push_back(name);
      json rest = property;
      if (property.is_object() && property.contains(kMark)) {
        const json& mark = property[kMark];
        if (!mark.is_string() || !is_header_name(mark.get<std::string>()) || !is_plain(property))
          return false;
        headers.push_back({below, "Mcp-Param-" + mark.get<std::string>()});
        rest.erase(kMark);
      }
      if (!read(rest, below, headers)) return false;
    }
  }
  return headers.size() <= kMost;
}

}  // namespace

bool read_param_headers(const json& schema, std::vector<ParamHeader>& headers) {
  if (!read(schema, {}, headers)) return false;
  std::vector<std::string> names;
  names.reserve(headers.size());
  for (const ParamHeader& each : headers) names.push_back(lower(each.header));
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

std::vector<std::pair<std::string, std::string>> values_of(const std::vector<ParamHeader>& headers,
                                                           const json& arguments) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const ParamHeader& each : headers) {
    const json* at = &arguments;
    for (const std::string& name : each.path) {
      const auto found = at->is_object() ? at->find(name) : at->end();
      at = at->is_object() && found != at->end() ? &*found : nullptr;
      if (at == nullptr) break;
    }
    if (at == nullptr || at->is_null() || at->is_structured()) continue;
    values.emplace_back(each.header, at->is_string() ? at->get<std::string>() : one_line(*at));
  }
  return values;
}

}  // namespace tern
