#include "tools/set/schema_check.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/set/schema_format.h"

namespace tern {
namespace {

using nlohmann::json;

constexpr int deepest = 64;          // of $ref in $ref and of nested schemas
constexpr int most_steps = 100'000;  // a schema that refers to itself twice would never end

std::string shown(const json& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() <= 80) return text;
  auto end = std::size_t(76);
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;
  return text.substr(0, end) + " …";
}

bool is_type(const json& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  return type == "integer" &&
         (value.is_number_integer() || (value.is_number() && std::floor(value.get<double>()) == value));
}

bool known_type(std::string_view type) {
  constexpr std::string_view types[] = {"object", "array", "string", "boolean", "null", "number", "integer"};
  return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

std::size_t code_points(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

struct Run {
  const json& root;
  FindsPattern finds;
  int steps = 0;

  bool found_in(const std::string& pattern, const std::string& text) const {
    return finds == nullptr || finds(pattern, text);
  }
};

// One value against one schema. Each check says what is wrong, with the place, or nothing.
class Check {
 public:
  Check(Run& run, std::string place, int depth) : run_(run), place_(std::move(place)), depth_(depth) {}

  std::string operator()(const json& schema, const json& value) const {
    if (schema.is_boolean()) return schema.get<bool>() ? "" : say("nothing is allowed here");
    if (!schema.is_object() || depth_ > deepest || ++run_.steps > most_steps) return {};
    for (const auto part : {&Check::reference, &Check::kind, &Check::choices, &Check::number, &Check::text,
                            &Check::array, &Check::object, &Check::combined})
      if (std::string wrong = (this->*part)(schema, value); !wrong.empty()) return wrong;
    return {};
  }

 private:
  std::string say(const std::string& what) const {
    return "at " + (place_.empty() ? "the top" : place_) + ": " + what;
  }
  std::string below(const std::string& key, const json& schema, const json& value) const {
    return Check(run_, place_ + "/" + key, depth_ + 1)(schema, value);
  }
  bool holds(const json& schema, const json& value) const {
    return Check(run_, place_, depth_ + 1)(schema, value).empty();
  }

  std::string reference(const json& schema, const json& value) const {
    const auto it = schema.find("$ref");
    if (it == schema.end() || !it->is_string()) return {};
    const json* target = schema_at(run_.root, it->get<std::string>());
    return target ? Check(run_, place_, depth_ + 1)(*target, value) : std::string();
  }

  std::string kind(const json& schema, const json& value) const {
    const auto it = schema.find("type");
    if (it == schema.end()) return {};
    const json list = it->is_array() ? *it : json::array({*it});
    std::string wanted;
    for (const json& type : list) {
      if (!type.is_string() || is_type(value, type.get<std::string>())) return {};
      wanted += (wanted.empty() ? "" : " or ") + type.get<std::string>();
    }
    return say("wanted: " + wanted + ", not " + shown(value));
  }

  std::string choices(const json& schema, const json& value) const {
    if (const auto it = schema.find("const"); it != schema.end() && *it != value)
      return say(shown(value) + " is not " + shown(*it));
    const auto it = schema.find("enum");
    if (it == schema.end() || !it->is_array() || std::find(it->begin(), it->end(), value) != it->end())
      return {};
    return say(shown(value) + " is not one of " + shown(*it));
  }

  std::string number(const json& schema, const json& value) const {
    if (!value.is_number()) return {};
    const double n = value.get<double>();
    const auto limit = [&](const char* key) {
      return schema.contains(key) && schema[key].is_number() ? &schema[key] : nullptr;
    };
    if (const auto* least = limit("minimum"); least && n < *least)
      return say(shown(value) + " is less than " + shown(*least));
    if (const auto* most = limit("maximum"); most && n > *most)
      return say(shown(value) + " is more than " + shown(*most));
    if (const auto* bound = limit("exclusiveMinimum"); bound && n <= *bound)
      return say(shown(value) + " is not more than " + shown(*bound));
    if (const auto* bound = limit("exclusiveMaximum"); bound && n >= *bound)
      return say(shown(value) + " is not less than " + shown(*bound));
    if (const auto* step = limit("multipleOf"); step && *step > 0) {
      const double times = n / step->get<double>();
      if (std::abs(times - std::round(times)) > 1e-9 * std::max(1.0, std::abs(times)))
        return say(shown(value) + " is not a multiple of " + shown(*step));
    }
    return {};
  }

  std::string counted(const json& schema, const char* least, const char* most, std::size_t count,
                      const char* of) const {
    const auto number = [&](const char* key) { return schema.contains(key) && schema[key].is_number(); };
    if (number(least) && static_cast<double>(count) < schema[least])
      return say("at least " + shown(schema[least]) + " " + of + " are expected, not " +
                 std::to_string(count));
    if (number(most) && static_cast<double>(count) > schema[most])
      return say("at most " + shown(schema[most]) + " " + of + " are allowed, not " + std::to_string(count));
    return {};
  }

  std::string text(const json& schema, const json& value) const {
    if (!value.is_string()) return {};
    const auto& text = value.get_ref<const std::string&>();
    if (auto wrong = counted(schema, "minLength", "maxLength", code_points(text), "characters");
        !wrong.empty())
      return wrong;
    if (const auto format = schema.find("format"); format != schema.end() && format->is_string())
      if (const auto& name = format->get_ref<const std::string&>(); !has_format(text, name))
        return say(shown(value) + " is not a value of the format " + name);
    const auto it = schema.find("pattern");
    if (it == schema.end() || !it->is_string() || run_.found_in(it->get<std::string>(), text)) return {};
    return say(shown(value) + " does not match the pattern " + it->get<std::string>());
  }

  std::string array(const json& schema, const json& value) const {
    if (!value.is_array()) return {};
    if (auto wrong = counted(schema, "minItems", "maxItems", value.size(), "items"); !wrong.empty())
      return wrong;
    const json items = schema.value("items", json(true)), first = schema.value("prefixItems", json::array());
    const json& row = items.is_array() ? items : first;  // the older spelling of prefixItems
    const json rest = items.is_array() ? schema.value("additionalItems", json(true)) : items;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (auto wrong = below(std::to_string(i), i < row.size() ? row[i] : rest, value[i]); !wrong.empty())
        return wrong;
      if (schema.value("uniqueItems", false) &&
          std::find(value.begin(), value.begin() + long(i), value[i]) != value.begin() + long(i))
        return say(shown(value[i]) + " is there twice");
    }
    return contained(schema, value);
  }

  std::string contained(const json& schema, const json& value) const {
    const auto it = schema.find("contains");
    const auto fits = [&](const json& one) { return holds(*it, one); };
    if (it == schema.end() || std::any_of(value.begin(), value.end(), fits)) return {};
    return say("no item is as \"contains\" wants it");
  }

  std::string object(const json& schema, const json& value) const {
    if (!value.is_object()) return {};
    if (auto wrong = counted(schema, "minProperties", "maxProperties", value.size(), "properties");
        !wrong.empty())
      return wrong;
    for (const json& name : schema.value("required", json::array()))
      if (name.is_string() && !value.contains(name.get<std::string>()))
        return say("\"" + name.get<std::string>() + "\" is missing");
    const json known = schema.value("properties", json::object()),
               patterns = schema.value("patternProperties", json::object());
    for (const auto& [name, inner] : value.items()) {
      bool named = known.contains(name);
      if (named)
        if (auto wrong = below(name, known[name], inner); !wrong.empty()) return wrong;
      for (const auto& [pattern, rule] : patterns.items()) {
        if (!run_.found_in(pattern, name)) continue;
        named = true;
        if (auto wrong = below(name, rule, inner); !wrong.empty()) return wrong;
      }
      const auto others = schema.find("additionalProperties");
      if (named || others == schema.end()) continue;
      if (*others == false) return say("\"" + name + "\" is not one of its properties");
      if (auto wrong = below(name, *others, inner); !wrong.empty()) return wrong;
    }
    return {};
  }

  std::string combined(const json& schema, const json& value) const {
    for (const json& one : schema.value("allOf", json::array()))
      if (auto wrong = Check(run_, place_, depth_ + 1)(one, value); !wrong.empty()) return wrong;
    const auto fits = [&](const json& one) { return holds(one, value); };
    if (const auto it = schema.find("anyOf");
        it != schema.end() && std::none_of(it->begin(), it->end(), fits))
      return say(shown(value) + " fits none of \"anyOf\"");
    if (const auto it = schema.find("oneOf"); it != schema.end())
      if (const auto count = std::count_if(it->begin(), it->end(), fits); count != 1)
        return say(shown(value) + " fits " + std::to_string(count) + " of \"oneOf\", not one");
    if (const auto it = schema.find("not"); it != schema.end() && holds(*it, value))
      return say(shown(value) + " is excluded");
    const auto it = schema.find("if");
    if (it == schema.end()) return {};
    const auto then = schema.find(holds(*it, value) ? "then" : "else");
    return then == schema.end() ? std::string() : Check(run_, place_, depth_ + 1)(*then, value);
  }

  Run& run_;
  std::string place_;
  int depth_;
};

// What no answer could be checked against, anywhere in the schema. Values of "enum", "const" and the like are
// no schemas.
std::string problem_in(const json& root, const json& schema) {
  if (schema.is_array()) {
    for (const json& one : schema)
      if (auto wrong = problem_in(root, one); !wrong.empty()) return wrong;
  }
  if (!schema.is_object()) return {};
  for (const auto& [key, value] : schema.items()) {
    if (key == "enum" || key == "const" || key == "default" || key == "examples") continue;
    if (key == "$ref" && value.is_string() && !schema_at(root, value.get<std::string>()))
      return "$ref \"" + value.get<std::string>() + "\" leads nowhere in the schema";
    if (key == "type" && !value.is_object())
      for (const json& type : value.is_array() ? value : json::array({value}))
        if (!type.is_string() || !known_type(type.get<std::string>()))
          return shown(type) + " is not a JSON type";
    if (auto wrong = problem_in(root, value); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace

const json* schema_at(const json& root, const std::string& reference) {
  if (reference.empty() || reference[0] != '#') return nullptr;
  try {
    const json::json_pointer pointer(reference.substr(1));
    return root.contains(pointer) ? &root.at(pointer) : nullptr;
  } catch (const json::exception&) {
    return nullptr;
  }
}

std::string schema_problem(const json& schema) {
  if (!schema.is_object() && !schema.is_boolean()) return "a JSON object is expected";
  return problem_in(schema, schema);
}

std::string schema_mismatch(const json& root, const json& schema, const json& value, FindsPattern finds) {
  try {
    Run run{root, finds};
    return Check(run, "", 0)(schema, value);
  } catch (const json::exception& error) {  // a keyword of a type nobody expects
    return std::string("the schema cannot be checked: ") + error.what();
  }
}

}  // namespace tern
