#include "agent/mcp/elicitation.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "agent/mcp/rpc.h"
#include "agent/models/json_schema.h"
#include "agent/models/url.h"
#include "compression/text/lines.h"

namespace tern {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestText = 2'048, kMostFields = 32, kMostOptions = 64;
constexpr int kMostTries = 5;
constexpr const char* kLeaveOut = "Leave it out";

struct Choice {
  json value;
  std::string label;
};

struct Field {
  std::string name, title, help, type;
  json schema, proposed;        // null: none is proposed
  std::vector<Choice> choices;  // of a list of values
  bool required = false, many = false;
};

json member(const json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() ? *found : json();
}

// "enum" with "enumNames", or "oneOf"/"anyOf" of {"const", "title"}.
std::vector<Choice> choices_of(const json& schema) {
  std::vector<Choice> choices;
  const json values = member(schema, "enum"), names = member(schema, "enumNames");
  for (std::size_t i = 0; values.is_array() && i < values.size(); ++i) {
    const bool named = names.is_array() && i < names.size() && names[i].is_string();
    const json& label = named ? names[i] : values[i];
    if (values[i].is_string()) choices.push_back({values[i], label.get<std::string>()});
  }
  for (const char* list : {"oneOf", "anyOf"})
    for (const json& each : member(schema, list)) {
      const std::string value = member_text(each, "const"), title = member_text(each, "title");
      if (!value.empty()) choices.push_back({value, title.empty() ? value : title});
    }
  if (choices.size() > kMostOptions) choices.resize(kMostOptions);
  return choices;
}

// False: a form may hold plain values only, and this is something else.
bool read_field(const std::string& name, const json& schema, Field& field) {
  field.name = name;
  field.schema = schema;
  field.type = member_text(schema, "type");
  field.title = clipped(member_text(schema, "title"), kLongestText);
  if (field.title.empty()) field.title = clipped(name, kLongestText);
  field.help = clipped(member_text(schema, "description"), kLongestText);
  field.proposed = member(schema, "default");
  field.many = field.type == "array";
  field.choices = choices_of(field.many ? member(schema, "items") : schema);
  if (field.many) return !field.choices.empty();
  return field.type == "string" || field.type == "number" || field.type == "integer" ||
         field.type == "boolean";
}

bool read_fields(const json& params, std::vector<Field>& fields) {
  const json schema = member(params, "requestedSchema"), properties = member(schema, "properties");
  const json required = member(schema, "required");
  if (properties.is_null()) return true;
  if (!properties.is_object() || properties.size() > kMostFields) return false;
  for (const auto& [name, each] : properties.items()) {
    Field field;
    if (!read_field(name, each, field)) return false;
    field.required =
        required.is_array() && std::find(required.begin(), required.end(), name) != required.end();
    fields.push_back(std::move(field));
  }
  return true;
}

std::string shown(const Field& field, const json& value) {
  for (const Choice& choice : field.choices)
    if (choice.value == value) return choice.label;
  if (value.is_boolean()) return value.get<bool>() ? "Yes" : "No";
  if (value.is_string()) return value.get<std::string>();
  std::string text;
  if (!value.is_array()) return one_line(value);
  for (const json& each : value) text += (text.empty() ? "" : ", ") + shown(field, each);
  return text;
}

json choice_named(const Field& field, std::string_view text) {
  for (const Choice& choice : field.choices)
    if (choice.label == text || choice.value == text) return choice.value;
  return nullptr;
}

json number_of(const std::string& text, bool whole) {
  const json value = json::parse(text, nullptr, false);
  if (!value.is_number()) return nullptr;
  if (!whole || value.is_number_integer()) return value;
  const double number = value.get<double>();
  return number == std::floor(number) && std::fabs(number) < 9e15 ? json(static_cast<std::int64_t>(number))
                                                                  : json();
}

// Null: the text is no value of this field.
json value_of(const Field& field, std::string_view given) {
  const std::string text(trimmed(given));
  if (field.many) {
    json list = json::array();
    for (std::size_t at = 0; at <= text.size() && !text.empty();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      const json value = choice_named(field, trimmed(std::string_view(text).substr(at, end - at)));
      if (value.is_null()) return nullptr;
      list.push_back(value);
      at = end + 1;
    }
    return list;
  }
  if (!field.choices.empty()) return choice_named(field, text);
  if (field.type == "boolean")
    return text == "Yes" || text == "yes" ? json(true) : text == "No" || text == "no" ? json(false) : json();
  if (field.type == "string") return text;
  return number_of(text, field.type == "integer");
}

std::string wrong_with(const Field& field, const json& value) {
  if (!value.is_null() && schema_mismatch(one_line(field.schema), one_line(value)).empty()) return {};
  if (!field.choices.empty()) return "Choose one of the answers above.";
  if (field.type == "integer" || field.type == "number") return "That is not a number that fits.";
  return "That does not fit what the server wants: " + clipped(one_line(field.schema), 300);
}

UserQuestion question_for(const Field& field, std::size_t n, std::size_t of, const std::string& wrong) {
  UserQuestion question;
  question.text = wrong.empty() ? "" : wrong + "\n\n";
  question.text += "**" + field.title + "** (" + std::to_string(n) + " of " + std::to_string(of) + ")";
  if (!field.help.empty()) question.text += "\n\n" + field.help;
  if (field.many) question.text += "\n\nOne or more, with commas between them.";
  if (!field.proposed.is_null())
    question.options.push_back({shown(field, field.proposed), "proposed by the server"});
  for (const Choice& choice : field.choices)
    if (choice.value != field.proposed) question.options.push_back({choice.label, ""});
  for (const bool yes : {true, false})
    if (field.type == "boolean" && field.proposed != json(yes))
      question.options.push_back({yes ? "Yes" : "No", ""});
  if (!field.required) question.options.push_back({kLeaveOut, ""});
  return question;
}

json result_of(const char* action) { return {{"action", action}}; }

bool ask_field(const Field& field, std::size_t n, std::size_t of, const ElicitationWays& ways,
               json& content) {
  std::string wrong;
  for (int tries = 0; tries < kMostTries; ++tries) {
    const UserAnswer answer = ways.ask(question_for(field, n, of, wrong));
    if (answer.how == UserAnswer::How::refused) return false;
    const bool chosen = answer.how == UserAnswer::How::chosen;
    if (chosen && !field.required && answer.text == kLeaveOut) return true;
    const bool proposed = chosen && !field.proposed.is_null() && answer.text == shown(field, field.proposed);
    const json value = proposed ? field.proposed : value_of(field, answer.text);
    wrong = wrong_with(field, value);
    if (!wrong.empty()) continue;
    content[field.name] = value;
    return true;
  }
  return false;
}

std::string heading(const std::string& server, const json& params) {
  return "The MCP server \"" + server + "\" asks:\n\n" +
         clipped(member_text(params, "message"), kLongestText);
}

json answer_url(const std::string& server, const json& params, const ElicitationWays& ways) {
  const std::string url = member_text(params, "url");
  if (!refusal(url).empty() || url.size() > kLongestText) return result_of("decline");
  const UserAnswer answer = ways.ask({.text = heading(server, params) + "\n\nIt wants you to open " + url +
                                              "\n\nThat is on **" + parse_url(url).host + "**.",
                                      .options = {{"I'll open it", ""}, {"No", ""}}});
  if (answer.how == UserAnswer::How::refused) return result_of("cancel");
  if (answer.how != UserAnswer::How::chosen || answer.text != "I'll open it") return result_of("decline");
  if (ways.open) ways.open(url);
  return result_of("accept");
}

}  // namespace

json answer_elicitation(const std::string& server, const json& params, const ElicitationWays& ways) {
  if (!ways.ask) return result_of("decline");
  if (member_text(params, "mode") == "url") return answer_url(server, params, ways);
  std::vector<Field> fields;
  if (!read_fields(params, fields)) return result_of("decline");
  std::string wants;
  for (const Field& field : fields)
    wants += (wants.empty() ? "\n\nIt wants: " : ", ") + field.title + (field.required ? "" : " (optional)");
  const char* yes = fields.empty() ? "Yes" : "Answer";
  const UserAnswer first =
      ways.ask({.text = heading(server, params) + wants, .options = {{yes, ""}, {"Decline", ""}}});
  if (first.how == UserAnswer::How::refused) return result_of("cancel");
  if (first.how != UserAnswer::How::chosen || first.text != yes) return result_of("decline");
  json content = json::object();
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (!ask_field(fields[i], i + 1, fields.size(), ways, content)) return result_of("cancel");
  return {{"action", "accept"}, {"content", content}};
}

json accept_with_defaults(const json& params) {
  std::vector<Field> fields;
  json content = json::object();
  if (member_text(params, "mode") == "url" || !read_fields(params, fields)) return result_of("decline");
  for (const Field& field : fields) {
    if (!field.proposed.is_null()) content[field.name] = field.proposed;
    if (field.proposed.is_null() && field.required) return result_of("decline");
  }
  return {{"action", "accept"}, {"content", content}};
}

}  // namespace tern
