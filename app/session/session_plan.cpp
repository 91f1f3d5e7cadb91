#include "app/session/session_plan.h"

#include <algorithm>

#include "compression/values/tool_kinds.h"

namespace tern {
namespace {

constexpr std::string_view plan_on =
    "[Plan mode is on: read and search only, change nothing. End with a concrete plan for the user to agree "
    "to.]";
constexpr std::string_view plan_off = "[Plan mode is off: the plan may be carried out.]";
constexpr std::string_view plan_approved = "The user approved the plan.";  // as ExitPlanMode answers

// What the model was told last; nothing when no such note is in the conversation.
std::optional<bool> told_of_plan(const Conversation& conversation) {
  for (auto item = conversation.items.rbegin(); item != conversation.items.rend(); ++item) {
    const auto* text =
        (*item)->synthetic && (*item)->blocks.size() == 1 ? std::get_if<Text>(&(*item)->blocks[0]) : nullptr;
    if (text && (text->text == plan_on || text->text == plan_off)) return text->text == plan_on;
    for (const Block& block : (*item)->blocks) {
      const auto* result = std::get_if<ToolResult>(&block);
      if (result && proposes_plan(result->tool) && result->text.starts_with(plan_approved)) return false;
    }
  }
  return std::nullopt;
}

QuestionAsked asked_event(const UserQuestion& question, std::uint64_t id) {
  QuestionAsked asked;
  asked.kind = question.plan ? QuestionAsked::Kind::plan : QuestionAsked::Kind::question;
  asked.id = id;
  asked.text = question.text;
  asked.own_words = question.own_words;
  for (const auto& option : question.options) asked.options.push_back({option.label, option.help});
  return asked;
}

}  // namespace

UserAnswer SessionPlan::ask(const UserQuestion& question, std::stop_token by) {
  s.owner_.check();
  std::stop_source either;
  const auto end = [&either] { either.request_stop(); };
  const std::stop_callback by_asker(by, end), by_turn(s.working_ ? s.stop_.now() : std::stop_token(), end);
  const auto id = s.next_question_++;
  s.emit(asked_event(question, id));
  const auto answer = s.inbox_.wait_answer(id, either.get_token());
  const auto verdict = answer ? answer->verdict : Verdict::no;
  s.emit(PermissionSettled{id, verdict});
  if (!answer) return {};
  if (verdict == Verdict::no) return {UserAnswer::How::refused, answer->note};
  if (question.plan) return approve(question.text, *answer);
  if (answer->choice < question.options.size())
    return {UserAnswer::How::chosen, question.options[answer->choice].label};
  return {UserAnswer::How::written, answer->note};
}

bool SessionPlan::wants_compaction(const std::string& why) {
  if (!s.setup_.may_ask) return false;
  const UserQuestion question{.text = "Compact first? " + why,
                              .options = {{"compact first", ""}, {"send as it is", ""}}};
  const auto answer = ask(question);
  return answer.how == UserAnswer::How::chosen && answer.text == question.options.front().label;
}

UserAnswer SessionPlan::approve(const std::string& plan, const Answer& answer) {
  auto& mode = s.hands_->policy.mode;
  if (answer.choice == 1)
    mode = PermissionMode::accept_edits;
  else if (mode == PermissionMode::plan)
    mode = PermissionMode::ask;
  s.show_meters();
  if (keeps()) {
    unpin();
    std::string why;
    s.plan_due_ = write_private_file(file(), answer.note.empty() ? plan : answer.note, why);
    if (!s.plan_due_) s.emit(Notice{Level::warning, "The plan is not kept: " + why});
  }
  return {UserAnswer::How::approved, answer.note};
}

bool SessionPlan::keeps() const { return s.setup_.keep && !s.setup_.read_only && !s.project_.folder.empty(); }

std::filesystem::path SessionPlan::file() const { return s.project_.folder / "plan.md"; }

// When the results of the message that brought the plan are in the context.
void SessionPlan::pin() {
  if (std::exchange(s.plan_due_, false))
    s.compactor_->pin(s.context_, PinThis{.what = s.workspace_->display(file())});
}

void SessionPlan::unpin() {
  if (!keeps()) return;
  const auto name = s.workspace_->display(file());
  for (const auto& pin : s.store_->pins())
    if (pin.what == name) return s.compactor_->pin(s.context_, PinThis{.what = name, .on = false});
}

// A plan of which every task is done needs no room any more.
void SessionPlan::turn_done() {
  const auto& todos = s.hands_->todos;
  const bool done =
      std::all_of(todos.begin(), todos.end(), [](const TodoItem& one) { return one.status == "completed"; });
  if (!todos.empty() && done) unpin();
}

// The model is told of the mode that holds when a prompt is sent, not of every mode a key has passed by.
void SessionPlan::tell_mode() {
  const bool plan = s.mode() == PermissionMode::plan;
  if (plan == told_of_plan(s.context_.conversation).value_or(s.setup_.mode == PermissionMode::plan)) return;
  if (plan) unpin();  // there will be another one
  Item note;
  note.role = Role::user;
  note.synthetic = true;
  note.blocks.push_back(Text{std::string(plan ? plan_on : plan_off)});
  append(*s.agent_, std::move(note));
}

}  // namespace tern
