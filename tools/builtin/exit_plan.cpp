#include <nlohmann/json.hpp>

#include "tools/files/change.h"
#include "tools/set/args.h"
#include "tools/set/tool.h"

namespace tern {

using nlohmann::json;

namespace {

ToolOutput run(const json& args, ToolContext& ctx) {
  const std::string plan = text_arg(args, "plan");
  if (plan.empty()) return failure("The plan is empty; nothing was shown to the user.");
  const UserAnswer answer = ctx.ask_user({.text = plan, .options = {}, .plan = true});
  if (answer.how == UserAnswer::How::approved) {
    const bool changed = !answer.text.empty() && answer.text != plan;
    std::string text = "The user approved the plan. Plan mode is off: carry it out now.";
    if (changed) text += " The user changed it; follow this version:\n\n" + answer.text;
    return {.text = std::move(text),
            .note = changed ? "approved with changes" : "approved",
            .diff = changed ? answer.text : plan};
  }
  ToolOutput output = failure(
      answer.text.empty()
          ? "The user wants to keep planning. Plan mode stays on: wait for what they say, and change nothing."
          : "The user wants to keep planning. Plan mode stays on. Revise the plan and present it again. They "
            "said: " +
                answer.text);
  output.is_error = false;
  output.diff = plan;
  output.note = answer.text.empty() ? "keep planning" : "keep planning: " + answer.text;
  output.user_first = answer.text.empty();
  return output;
}

std::string subject(const json&) { return {}; }

}  // namespace

Tool exit_plan_tool() {
  return {
      .name = "ExitPlanMode",
      .description =
          "Ends plan mode: shows the finished plan (Markdown) to the user, who approves it or asks for "
          "changes.",
      .about = "Shows you the finished plan and asks for your approval.",
      .schema = R"({"type":"object","properties":{"plan":{"type":"string"}},"required":["plan"]})",
      .effects = Effect::context,
      .basic = true,
      .aliases = "text=plan proposal=plan",
      .run = run,
      .subject = subject,
      .label = "Plan",
      .asks = true,
  };
}

}  // namespace tern
