// How a call's result enters the log and the context.
#include <algorithm>

#include "agent/models/redact.h"
#include "agent/turn/prepared_call.h"
#include "agent/turn/tool_calls.h"
#include "compression/reading/snip.h"
#include "compression/values/tool_kinds.h"

namespace tern {
namespace {

constexpr std::size_t shown_text = 256 * 1024;
constexpr Tokens kLeastOfAResult = 200;  // where a limit leaves nothing: enough to say what it is

std::string text_of(const nlohmann::json& args, const char* key) {
  const auto found = args.find(key);
  return found != args.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// A range of a file or of an original: the model knows what it wants of it.
bool asks_for_lines(const nlohmann::json& args) {
  if (!args.is_object()) return false;
  return args.contains("offset") || args.contains("limit") || args.contains("lines");
}

// A tool may promise a smaller result than others give: cut like any long one, until it is that small.
Item snipped_to(const Item& item, Tokens most, Budget budget, Arrival arrival) {
  constexpr std::size_t least = 500;
  budget.config.snip_halves = false;
  arrival.ranged = false;
  budget.config.snip_head = 0.6, budget.config.snip_tail = 0.3;
  for (auto limit = static_cast<std::size_t>(most) * 4;; limit = limit * 3 / 4) {
    budget.config.snip_limit = budget.config.snip_relaxed = budget.config.read_limit = limit;
    Item cut = snip(item, budget, arrival);
    if (cut.tokens <= most || limit < least) return cut;
  }
}

}  // namespace

// The result goes into the log with its original, then onto the screen. Its text is never empty.
void ToolCalls::close(Prepared& prepared) {
  auto& run = prepared.run;
  for (auto* text : {&run.output.text, &run.output.subject, &run.output.note, &run.output.diff})
    *text = redact(std::move(*text));
  if (run.output.shown) run.output.shown = redact(std::move(*run.output.shown));
  if (run.output.text.empty()) run.output.text = "(no output)";
  if (run.ran && !run.output.is_error && changes_files(std::string(run.tool->name))) guard_.changed_files();
  guard_.saw(run.call,
             run.output.text);  // also what was refused or could not be read: it would be asked for ever
  auto& cell = run.cell;
  cell.call_id = run.call.id;
  cell.tool = run.tool ? std::string(run.tool->name) : run.call.name;
  if (run.tool) cell.label = run.tool->label;
  cell.subject = run.output.subject;
  cell.note = run.output.note;
  cell.diff = run.output.diff;
  cell.text = run.output.shown.value_or(run.output.text).substr(0, shown_text);
  cell.is_error = run.output.is_error;
  if (run.output.in_background) cell.end = CallEnd::background;
  cell.exit_status = run.output.exit_status;
  store_.transact([&] {
    keep_original(run, prepared.args);
    store_.finished(cell, run.result);
    store_.afterwards([this, cell] { emit_(cell); });
  });
}

// The original is stored whenever the text that enters is another one.
void ToolCalls::keep_original(CallRun& run, const nlohmann::json& args) {
  auto budget = budget_of(context_);
  budget.pending += entered_;
  auto& result = run.result;
  result = {run.call.id, run.cell.tool,   std::move(run.output.text), run.output.is_error, run.output.subject,
            {},          ResultForm::full};
  const bool spilled = !run.output.spill.empty();
  if (spilled) {
    redact_file(run.output.spill);
    result.recall = store_.put_original_file(run.output.spill, result.tool, result.subject);
  } else {
    result.recall = store_.next_recall();
  }
  Arrival arrival{.share = usage(context_.conversation, budget).share, .ranged = asks_for_lines(args)};
  if (run.tool && run.tool->duty == ToolDuty::recall) {
    if (const auto recalled = store_.original(parse_recall_id(text_of(args, "id"))))
      arrival.file = recalled->subject;
  }
  const std::string whole = spilled ? std::string() : result.text;
  Item alone;
  alone.role = Role::user;
  alone.blocks.push_back(std::move(result));
  const Tokens most = run.tool ? run.tool->most_tokens : 0;
  auto& ceiling = hands_.most_growth;
  const Item whole_item = ceiling != 0 ? alone : Item{};
  Item cut = most > 0 ? snipped_to(alone, most, budget, arrival) : snip(std::move(alone), budget, arrival);
  const auto left = std::max(ceiling - context_.gauges.grown() - entered_, kLeastOfAResult);
  if (ceiling != 0 && cut.tokens > left) {
    cut = snipped_to(whole_item, left, budget, arrival);
    ceiling = -1;
  }
  alone = std::move(cut);
  entered_ += alone.tokens;
  result = std::get<ToolResult>(std::move(alone.blocks.front()));
  if (!spilled && result.text != whole)
    store_.put_original(result.recall, whole, result.tool, result.subject);
  if (result.form != ResultForm::full)
    hands_.files.forget_call(result.call_id);  // it does not show the file as it is
  run.cell.recall = result.recall;
  run.cell.form = result.form;
}

}  // namespace tern
