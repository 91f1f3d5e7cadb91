#include "tools/set/args.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tools/set/schema_check.h"

namespace tern {

using nlohmann::json;

namespace {

// One of the JSON types the schema allows, as it is written in messages.
std::string wanted_type(const json& schema) {
  auto it = schema.find("type");
  return it == schema.end() || !it->is_string() ? std::string() : it->get<std::string>();
}

bool has_type(const json& value, const std::string& type) {
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "array") return value.is_array();
  if (type == "null") return value.is_null();
  return type == "object" ? value.is_object() : true;
}

std::optional<json> number_in(const json& value, bool whole) {
  double number = 0;
  if (value.is_number()) {
    number = value.get<double>();
  } else if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  } else {
    return std::nullopt;
  }
  if (!whole) return json(number);
  if (!std::isfinite(number) || number != std::floor(number) || std::abs(number) > 9e15) return std::nullopt;
  return json(static_cast<std::int64_t>(number));
}

// What was meant, when it plainly says so in another type.
std::optional<json> coerced(const json& value, const std::string& type) {
  if (type == "integer" || type == "number") return number_in(value, type == "integer");
  if (type == "boolean") {
    if (value == "true" || value == "True" || value == 1 || value == "1") return json(true);
    if (value == "false" || value == "False" || value == 0 || value == "0") return json(false);
  }
  if (type == "string" && (value.is_number() || value.is_boolean())) return json(value.dump());
  if ((type == "array" || type == "object") && value.is_string()) {
    json inner = json::parse(value.get_ref<const std::string&>(), nullptr, false);
    if (has_type(inner, type)) return inner;
  }
  if (type == "array" && (value.is_object() || value.is_string())) return json::array({value});
  return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> alias_pairs(std::string_view aliases) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!aliases.empty()) {
    std::size_t space = std::min(aliases.find(' '), aliases.size());
    std::string_view one = aliases.substr(0, space);
    if (std::size_t equals = one.find('='); equals != std::string_view::npos) {
      pairs.emplace_back(plain_name(one.substr(0, equals)), one.substr(equals + 1));
    }
    aliases.remove_prefix(std::min(space + 1, aliases.size()));
  }
  return pairs;
}

bool allows_more(const json& schema) {
  const auto more = schema.find("additionalProperties");
  return more != schema.end() && (!more->is_boolean() || more->get<bool>());
}

class Checker {
 public:
  Checker(const json& root, std::string_view aliases, bool foreign)
      : root_(root), aliases_(alias_pairs(aliases)), foreign_(foreign) {}

  void object(const json& written, json& args, const std::string& where) {
    const json& schema = meant(written);
    const json& properties = object_in(schema, "properties");
    rename(properties, args);
    for (auto it = args.begin(); it != args.end();) {
      it = it->is_null() && !foreign_ ? args.erase(it) : std::next(it);
    }
    for (const auto& name : array_in(schema, "required"))
      if (name.is_string() && !args.contains(name.get_ref<const std::string&>()))
        issues.push_back("The required parameter `" + where + name.get<std::string>() + "` is missing");
    if (!foreign_ && !allows_more(schema)) drop_unknown(properties, args, where);
    for (auto& [name, value] : args.items()) {
      if (properties.contains(name)) check(properties[name], value, where + name);
    }
  }

  std::vector<std::string> issues;
  std::vector<std::string>
      near_misses;  // unknown names: they fail no call, but may explain why something is missing

 private:
  // Known spellings become ours, as long as ours is not there as well.
  void rename(const json& properties, json& args) {
    std::vector<std::pair<std::string, std::string>> moves;
    for (const auto& [name, value] : args.items()) {
      if (properties.contains(name)) continue;
      std::string plain = plain_name(name), target;
      for (const auto& [known, schema] : properties.items()) {
        if (plain_name(known) == plain) target = known;
      }
      for (const auto& [alias, known] : aliases_) {
        if (target.empty() && alias == plain && properties.contains(known)) target = known;
      }
      if (!target.empty() && !args.contains(target)) moves.emplace_back(name, target);
    }
    for (const auto& [from, to] : moves) {
      if (args.contains(to)) continue;
      json value = std::move(args[from]);
      args.erase(from);
      args[to] = std::move(value);
    }
  }

  void drop_unknown(const json& properties, json& args, const std::string& where) {
    std::vector<std::string> known, extra;
    for (const auto& [name, schema] : properties.items()) known.push_back(name);
    for (const auto& [name, value] : args.items()) {
      if (!properties.contains(name)) extra.push_back(name);
    }
    for (const auto& name : extra) {
      args.erase(name);
      if (auto close = nearest(name, known))
        near_misses.push_back("The parameter `" + where + name + "` is unknown (did you mean `" + *close +
                              "`?)");
    }
  }

  // What a "$ref" means; a schema that refers to itself in a circle means nothing.
  const json& meant(const json& schema) const {
    const json* at = &schema;
    for (int hops = 0; at && at->is_object() && hops < 16; ++hops) {
      const auto reference = at->find("$ref");
      if (reference == at->end() || !reference->is_string()) return *at;
      at = schema_at(root_, reference->get_ref<const std::string&>());
    }
    static const json nothing;
    return nothing;
  }

  // Of several shapes the one that the value has, else the first that it can be understood as. Without one it
  // is left to the server to say so.
  void check_choice(const json& choices, json& value, const std::string& where) {
    const auto fits = [&](const json& one, const json& meant_value) {
      return schema_mismatch(root_, one, meant_value).empty();
    };
    for (const json& one : choices)
      if (fits(one, value)) return check(one, value, where);
    for (const json& one : choices)
      if (auto better = coerced(value, wanted_type(meant(one))); better && fits(one, *better)) {
        value = std::move(*better);
        return check(one, value, where);
      }
  }

  void check(const json& written, json& value, const std::string& where) {
    const json& schema = meant(written);
    if (!schema.is_object()) return;  // true, false
    std::string type = wanted_type(schema);
    if (!has_type(value, type)) {
      auto better = coerced(value, type);
      if (!better) {
        issues.push_back("The parameter `" + where + "` must be " +
                         (type == "integer" ? "a whole number"
                          : type == "array" ? "an array"
                                            : "a " + type) +
                         ", not " + shorten(value.dump(-1, ' ', false, json::error_handler_t::replace), 60));
        return;
      }
      value = std::move(*better);
    }
    if (const json& allowed = array_in(schema, "enum"); !allowed.empty()) in_enum(allowed, value, where);
    if (const auto only = schema.find("const"); only != schema.end())
      in_enum(json::array({*only}), value, where);
    for (const char* key : {"anyOf", "oneOf"})
      if (const json& choices = array_in(schema, key); !choices.empty()) check_choice(choices, value, where);
    for (const json& one : array_in(schema, "allOf")) check(one, value, where);
    if (const auto least = schema.find("minimum");
        least != schema.end() && least->is_number() && value.is_number() && value < *least) {
      issues.push_back("The parameter `" + where + "` must be at least " + least->dump());
    }
    if (value.is_object() && schema.contains("properties")) object(schema, value, where + ".");
    if (value.is_array() && schema.contains("items")) {
      std::size_t index = 0;
      for (auto& element : value)
        check(schema["items"], element, where + "[" + std::to_string(index++) + "]");
    }
  }

  void in_enum(const json& allowed, json& value, const std::string& where) {
    std::string names;
    for (const auto& one : allowed) {
      if (one == value) return;
      if (one.is_string() && value.is_string() &&
          plain_name(one.get<std::string>()) == plain_name(value.get<std::string>())) {
        value = one;
        return;
      }
      names += (names.empty() ? "" : ", ") + one.dump();
    }
    issues.push_back("The parameter `" + where + "` must be one of " + names);
  }

  const json& root_;
  std::vector<std::pair<std::string, std::string>> aliases_;
  bool foreign_;
};

}  // namespace

std::string plain_name(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (c != '_' && c != '-' && c != ' ') out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out.empty() ? std::string(name) : out;
}

const json& object_in(const json& schema, const char* key) {
  static const json none = json::object();
  const auto found = schema.is_object() ? schema.find(key) : schema.end();
  return found != schema.end() && found->is_object() ? *found : none;
}

const json& array_in(const json& schema, const char* key) {
  static const json none = json::array();
  const auto found = schema.is_object() ? schema.find(key) : schema.end();
  return found != schema.end() && found->is_array() ? *found : none;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  std::string plain = plain_name(name);
  for (const auto& candidate : candidates) {
    std::string other = plain_name(candidate);
    std::size_t distance = edit_distance(plain, other);
    if (plain.size() >= 3 && other.size() >= 3 &&
        (other.find(plain) != std::string::npos || plain.find(other) != std::string::npos)) {
      distance = std::min<std::size_t>(distance, 2);
    }
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::vector<std::string> check_args(const json& schema, std::string_view aliases, json& args, bool foreign) {
  if (!args.is_object()) return {"The arguments must be one JSON object"};
  Checker checker(schema, aliases, foreign);
  checker.object(schema, args, "");
  if (!checker.issues.empty())
    std::move(checker.near_misses.begin(), checker.near_misses.end(), std::back_inserter(checker.issues));
  return std::move(checker.issues);
}

bool nests_too_deep(std::string_view text) {
  constexpr int deepest = 128;
  int depth = 0;
  for (std::size_t at = text.find_first_of("[{\""); at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\';
    } else if (c == '[' || c == '{') {
      if (++depth > deepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

std::string text_arg(const json& args, const char* name, std::string_view otherwise) {
  auto it = args.find(name);
  return it != args.end() && it->is_string() ? it->get<std::string>() : std::string(otherwise);
}

std::int64_t whole_number(const json& value, std::int64_t otherwise) {
  constexpr double most = 9'007'199'254'740'992.0;
  if (!value.is_number()) return otherwise;
  const auto number = value.get<double>();
  return number >= -most && number <= most ? static_cast<std::int64_t>(number) : otherwise;
}

std::int64_t int_arg(const json& args, const char* name, std::int64_t otherwise) {
  auto it = args.find(name);
  return it != args.end() ? whole_number(*it, otherwise) : otherwise;
}

bool flag_arg(const json& args, const char* name, bool otherwise) {
  auto it = args.find(name);
  return it != args.end() && it->is_boolean() ? it->get<bool>() : otherwise;
}

std::string shorten(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace tern
