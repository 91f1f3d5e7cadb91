#include "app/acp/acp_questions.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "agent/mcp/rpc.h"
#include "app/acp/acp_json.h"

namespace tern {
namespace {

using nlohmann::json;

// Option ids: "yes", "no", and a number behind "choice-" for what can be chosen.
constexpr std::string_view choice_mark = "choice-";

json option(const std::string& id, const std::string& name, const char* kind) {
  json row;
  row["optionId"] = id;
  row["name"] = name;
  row["kind"] = kind;
  return row;
}

std::string choice_id(std::size_t n) { return std::string(choice_mark) + std::to_string(n); }

std::string chosen(const json* answer) {
  if (!answer || !answer->is_object() || !answer->contains("outcome")) return {};
  const auto& outcome = (*answer)["outcome"];
  return member_text(outcome, "outcome") == "selected" ? member_text(outcome, "optionId") : std::string();
}

json call_of(const std::string& id, const std::string& title, const char* kind, const std::string& text) {
  json call;
  call["toolCallId"] = id;
  call["title"] = title;
  call["kind"] = kind;
  call["status"] = "pending";
  call["content"].push_back(acp_part(text));
  return call;
}

}  // namespace

json permission_options(const PermissionAsked& asked) {
  json options = json::array();
  options.push_back(option("yes", "Allow once", "allow_once"));
  for (std::size_t i = 0; i < asked.grants.size(); ++i) {
    const auto& grant = asked.grants[i];
    const auto* scope = grant.for_project ? "Always in this project: " : "Always in this session: ";
    options.push_back(option(choice_id(i), scope + grant.text, "allow_always"));
  }
  options.push_back(option("no", "Reject", "reject_once"));
  return options;
}

json question_options(const QuestionAsked& asked) {
  json options = json::array();
  if (asked.kind == QuestionAsked::Kind::plan) {
    options.push_back(option(choice_id(0), "Carry out the plan", "allow_once"));
    options.push_back(option(choice_id(1), "Carry it out and accept edits", "allow_always"));
    options.push_back(option("no", "Keep planning", "reject_once"));
    return options;
  }
  for (std::size_t i = 0; i < asked.options.size(); ++i)
    options.push_back(option(choice_id(i), asked.options[i].label, "allow_once"));
  options.push_back(option("no", "None of these", "reject_once"));
  return options;
}

json trust_options() {
  json options = json::array();
  options.push_back(option("yes", "Trust this folder", "allow_always"));
  options.push_back(option("no", "Not now: continue without its files", "reject_once"));
  return options;
}

json question_call(const QuestionAsked& asked) {
  const bool plan = asked.kind == QuestionAsked::Kind::plan;
  std::string text = asked.text;
  for (const auto& one : asked.options)
    if (!one.help.empty()) text += "\n\n**" + one.label + "**: " + one.help;
  return call_of("question-" + std::to_string(asked.id), plan ? "Ready to carry out the plan?" : "Question",
                 plan ? "switch_mode" : "other", text);
}

json trust_call(const std::string& folder, const std::string& claims) {
  const auto text = "Trusted, tern reads and may run what this folder brings:\n\n" + fenced(claims);
  return call_of("trust", "Trust " + folder + "?", "other", text);
}

Answer permission_answer(std::uint64_t id, const json* answer) {
  const auto option = chosen(answer);
  Answer out;
  out.id = id;
  if (option == "yes") out.verdict = Verdict::yes;
  if (!option.starts_with(choice_mark)) return out;
  const auto* begin = option.data() + choice_mark.size();
  const auto* end = option.data() + option.size();
  const auto read = std::from_chars(begin, end, out.choice);
  if (read.ec == std::errc() && read.ptr == end) out.verdict = Verdict::yes_remember;
  return out;
}

bool says_yes(const json* answer) { return chosen(answer) == "yes"; }

bool says_cancelled(const json* answer) {
  return answer && answer->is_object() && answer->contains("outcome") &&
         member_text((*answer)["outcome"], "outcome") == "cancelled";
}

}  // namespace tern
