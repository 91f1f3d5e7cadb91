#include <nlohmann/json.hpp>

#include "tools/files/change.h"
#include "tools/set/args.h"
#include "tools/set/tool.h"

namespace tern {

using nlohmann::json;

namespace {

constexpr std::size_t most_options = 4;

ToolOutput run(const json& args, ToolContext& ctx) {
  UserQuestion question{.text = text_arg(args, "question"), .options = {}};
  if (question.text.empty()) return failure("The question is empty; nothing was asked.");
  for (const auto& option : args.value("options", json::array()))
    question.options.push_back({text_arg(option, "label"), text_arg(option, "description")});
  if (question.options.size() > most_options)
    return failure("At most 4 options; the user can always answer in own words.");
  const UserAnswer answer = ctx.ask_user(question);
  switch (answer.how) {
    case UserAnswer::How::chosen: return {.text = "The user chose: " + answer.text, .note = answer.text};
    case UserAnswer::How::written: return {.text = "The user answered: " + answer.text, .note = answer.text};
    default: break;
  }
  ToolOutput output = failure("The user closed the question without an answer. Wait for what they say.");
  output.note = "no answer";
  output.user_first = true;
  return output;
}

// In the transcript: without the marks of Markdown that a line of text does not need.
std::string subject(const json& args) {
  std::string line = text_arg(args, "question");
  line = line.substr(0, line.find('\n'));
  std::erase_if(line, [](char c) { return c == '*' || c == '`'; });
  return line;
}

}  // namespace

Tool ask_user_tool() {
  return {
      .name = "AskUser",
      .description =
          "Asks the user when a choice is theirs and cannot be found out. Own words are always possible.",
      .about = "Asks you a question.",
      .schema = R"({"type":"object","properties":{"question":{"type":"string"},"options":{"type":"array",)"
                R"("items":{"type":"object",)"
                R"("properties":{"label":{"type":"string"},"description":{"type":"string"}},)"
                R"("required":["label"]}}},)"
                R"("required":["question"]})",
      .effects = Effect::context,
      .basic = true,
      .aliases = "text=question prompt=question choices=options answers=options",
      .run = run,
      .subject = subject,
      .label = "Ask",
      .asks = true,
  };
}

}  // namespace tern
