#include "agent/turn/tool_calls.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "agent/gate/file_rules.h"
#include "agent/gate/reach.h"
#include "agent/models/redact.h"
#include "agent/turn/hook_weight.h"
#include "agent/turn/prepared_call.h"
#include "agent/turn/refusal_text.h"
#include "tools/files/file_memory.h"
#include "tools/files/journal.h"

namespace tern {

namespace {

constexpr std::size_t parallel_limit = 8;

ToolOutput failure(std::string text) {
  ToolOutput output;
  output.text = std::move(text);
  output.is_error = true;
  return output;
}

std::string unknown_tool(const std::string& name, const ToolSet& offered) {
  std::string text = "There is no tool named \"" + name + "\". Available:";
  for (const auto& tool : offered) text += ' ' + tool->name;
  return text + ". Call one of these.";
}

bool parallel(const ToolPtr& tool) { return tool && tool->effects.only(Effect::read); }

}  // namespace

bool refuse(CallRun& run, std::string text, const std::string& reason, CallsDone& done,
            const std::optional<std::string>& said) {
  auto subject = std::move(run.output.subject);
  run.output = failure(std::move(text));
  run.output.subject = std::move(subject);
  run.output.note = said ? rejected_note(*said) : blocked_note(reason);
  run.refused = true;
  run.cell.end = said ? CallEnd::rejected : CallEnd::blocked;
  done.denials.push_back(
      {run.tool ? std::string(run.tool->name) : run.call.name, run.call.id, run.call.arguments, reason});
  return false;
}

void ToolCalls::log_before() {
  if (const auto before = std::exchange(before_, {})) before();
}

CallsDone ToolCalls::run(const std::vector<ToolCall>& calls, std::stop_token stop,
                         const AroundCalls& around) {
  CallsDone done;
  before_ = around.before;
  entered_ = 0;
  std::vector<Prepared> all(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) all[i].run.call = calls[i];
  std::size_t closed = 0;
  for (std::size_t i = 0; i < all.size();) {
    std::vector<Prepared*> group;
    do {
      prepare(all[i], stop, done);
      if (all[i].ready) group.push_back(&all[i]);
      ++i;
    } while (i < all.size() && all[i - 1].ready && parallel(all[i - 1].run.tool) &&
             parallel(hands_.offered.find(all[i].run.call.name)));
    start(group, stop);
    for (auto* prepared : group) {
      settle_walls(*prepared, stop, done);
      after_call(*prepared, stop, done);
      done.said_no |= prepared->run.output.user_first;
    }
    store_.transact([&] {
      log_before();
      for (; closed < i; ++closed) {
        close(all[closed]);
        done.runs.push_back(std::move(all[closed].run));
      }
      if (i < all.size()) return;
      look_for_loops(done);
      if (around.after) around.after(done);
    });
  }
  return done;
}

// Before the results go on: what the model repeats ends the turn, or is told to it.
void ToolCalls::look_for_loops(CallsDone& done) {
  done.stuck = guard_.stuck(done.runs);
  std::set<std::string> told;
  for (const auto& run : done.runs) {
    const auto& tool = run.cell.tool;
    if (!run.cell.is_error || guard_.same_errors(tool, run.result.text) != LoopGuard::teach_error_at)
      continue;
    if (!told.insert(tool).second) continue;
    hands_.notes.push(
        "[" + tool + " has failed like this " + std::to_string(LoopGuard::teach_error_at) +
        " times in a row. Trying again will not help: do something else, or tell the user what blocks you.]");
  }
}

// From here on the call is that of the tool behind one that stands for others.
bool ToolCalls::meant(CallRun& run, nlohmann::json& args) {
  std::string error;
  const ToolPtr tool = run.tool->stands_for(args, error);
  run.output = tool ? std::move(run.output) : failure(error);
  if (tool) run.tool = tool;
  return tool != nullptr;
}

// The user hears of it once, the model each time.
void ToolCalls::stop_repeating(CallRun& run, const nlohmann::json& args) {
  const auto times = std::to_string(LoopGuard::teach_at);
  const auto said = guard_.said(run.call);
  run.output =
      failure("Not run: this exact call has given the same result " + times + " times in a row: " + said +
              "\nIt will not change. Do something else, or tell the user what blocks you.");
  if (run.tool->subject) run.output.subject = run.tool->subject(args);
  if (guard_.repeats(run.call) > LoopGuard::teach_at) return;
  const auto& name = run.tool->label.empty() ? run.tool->name : run.tool->label;
  const auto call = std::string(name) + (run.output.subject.empty() ? "" : " " + run.output.subject);
  emit_(Notice{Level::warning, "Stopped " + redact(call) + ": it ran " + times +
                                   " times with the same result: " + said +
                                   "\nThe model has been told to do something else."});
}

// Everything that can answer a call without running it.
void ToolCalls::prepare(Prepared& prepared, std::stop_token stop, CallsDone& done) {
  auto& run = prepared.run;
  run.tool = hands_.offered.find(run.call.name);
  std::string error;
  if (done.hook_ends) {
    run.output = failure("Not run: a hook has ended the turn.");
  } else if (stop.stop_requested() || done.said_no) {
    run.output = failure(done.said_no ? "Not run: the user refused an earlier call of this message."
                                      : std::string(interrupted_call));
  } else if (run.tool && run.tool->asks && !hands_.may_ask) {
    run.output = failure(std::string(no_one_to_answer));
  } else if (!run.tool) {
    run.output = failure(unknown_tool(run.call.name, hands_.offered));
  } else if (!parse_args(*run.tool, run.call.arguments, prepared.args, error)) {
    run.output = failure(error);
  } else if (run.tool->stands_for && !meant(run, prepared.args)) {
    return;  // it has been told
  } else if (auto why = hands_.over_limit ? hands_.over_limit(*run.tool) : std::string(); !why.empty()) {
    run.output = failure("Not run: " + why + ". Go on without it, or tell the user what you need it for.");
  } else if (guard_.repeats(run.call) >= LoopGuard::teach_at) {
    stop_repeating(run, prepared.args);
  } else {
    if (run.tool->subject) run.output.subject = run.tool->subject(prepared.args);
    expect(prepared, Effect::write);  // while the user decides, the language server reads the file
    prepared.ready = before_call(prepared, stop, done) && permitted(prepared, stop, done);
    if (prepared.ready) expect(prepared, Effect::read);  // what is read is often changed next
  }
}

void ToolCalls::expect(const Prepared& prepared, Effect effect) {
  const Tool& tool = *prepared.run.tool;
  if (!hands_.watch.expect || !tool.effects.has(effect) || !tool.paths) return;
  for (const auto& path : tool.paths(prepared.args)) hands_.watch.expect(path);
}

bool ToolCalls::permitted(Prepared& prepared, std::stop_token stop, CallsDone& done) {
  auto& run = prepared.run;
  if (run.tool->effects.has(Effect::execute) && hands_.ready_sandbox)
    std::exchange(hands_.ready_sandbox, nullptr)(hands_);
  const auto decision = weighed(decide(hands_.policy, {*run.tool, prepared.args, hands_.workspace}),
                                prepared.hook_word, prepared.hook_reason, prepared.hook_by);
  if (const auto* why = std::get_if<Ask>(&decision)) return ask(prepared, *why, stop, done);
  if (const auto* yes = std::get_if<Allow>(&decision)) {
    if (yes->reach == Reach::try_looking && prepared.args.value("run_in_background", false)) {
      const std::string alone = "runs in the background, where it can't ask later";
      return hands_.policy.mode == PermissionMode::plan
                 ? refuse(run, "Permission denied: " + alone, alone, done)
                 : ask(prepared, Ask{alone, {}, {}, {}}, stop, done);
    }
    run.reach = yes->reach;
    run.granted = yes->granted;
    return true;
  }
  refuse(run, "Permission denied: " + std::get<Deny>(decision).reason, std::get<Deny>(decision).reason, done);
  return false;
}

bool ToolCalls::ask(Prepared& prepared, const Ask& why, std::stop_token stop, CallsDone& done) {
  auto& run = prepared.run;
  const auto& tool = *run.tool;
  if (must_fail(prepared, stop)) return false;
  if (const auto said = hooks_permit(prepared, why, stop, done)) return *said;
  if (!hands_.may_ask) return refuse(run, no_one_to_ask(why.reason), why.reason, done);
  const auto id = next_question_++;
  log_before();
  auto body = tool.effects.has(Effect::execute)
                  ? run.output.subject
                  : prepared.args.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  for (const auto& target : why.targets) body += "\n  → " + target;
  const auto offers = offers_of(why);
  PermissionAsked asked{id,
                        std::string(tool.name),
                        std::string(tool.label.empty() ? tool.name : tool.label) + ' ' + run.output.subject,
                        std::move(body),
                        tool.preview ? tool.preview(prepared.args, hands_.workspace) : std::string(),
                        why.reason,
                        why.danger};
  for (const auto& offer : offers) asked.grants.push_back({grant_text(*offer.rules), offer.for_project});
  asked.call_id = run.call.id;
  emit_(std::move(asked));
  const auto answer = inbox_.wait_answer(id, stop);
  emit_(PermissionSettled{id, answer ? answer->verdict : Verdict::no});
  if (!answer) return refuse(run, std::string(interrupted_call), why.reason, done);
  if (answer->verdict == Verdict::no) {
    done.said_no = answer->note.empty();
    return refuse(run, refused_text(answer->note), why.reason, done, answer->note);
  }
  if (answer->verdict == Verdict::yes_remember && answer->choice < offers.size())
    grant(offers[answer->choice]);
  run.output.note = answer->note;
  run.granted = true;
  return true;
}

void ToolCalls::grant(const Offer& offer) {
  for (PermissionRule rule : *offer.rules) {
    rule.origin = offer.for_project ? RuleOrigin::project : RuleOrigin::session;
    rule.source = to_string(rule.origin);
    hands_.policy.rules.push_back(rule);
    if (!offer.for_project) {
      store_.grant(rule_text(rule), false);
      continue;
    }
    const auto wrong = hands_.keep_rule ? hands_.keep_rule(rule) : std::string("nothing is kept in this run");
    if (!wrong.empty())
      emit_(Notice{Level::warning, rule_text(rule) + " holds for this session only: " + wrong});
  }
}

void ToolCalls::start(std::vector<Prepared*> group, std::stop_token stop) {
  if (group.empty()) return;
  store_.transact([&] {
    log_before();
    for (auto* prepared : group) {
      const auto& run = prepared->run;
      store_.started({run.call.id, std::string(run.tool->name), std::string(run.tool->label),
                      run.output.subject, run.call.arguments});
    }
  });
  for (auto* prepared : group) {
    const auto& run = prepared->run;
    emit_(ToolStarted{run.call.id, std::string(run.tool->name), std::string(run.tool->label),
                      run.output.subject, run.call.arguments});
  }
  execute(group, stop);
}

// What the calls changed is applied here, on the owner's thread, when all of them have ended.
void ToolCalls::execute(const std::vector<Prepared*>& group, std::stop_token stop) {
  owner_.check();
  hands_.journal.settle(hands_.workspace, hands_.jobs);
  work(group, stop);
  for (auto* prepared : group)
    apply(std::move(prepared->changes), prepared->run.call.id, hands_.workspace, hands_.files, hands_.journal,
          hands_.todos);
  hands_.journal.settle(hands_.workspace, hands_.jobs);
}

// On helper threads, while this one answers.
void ToolCalls::work(const std::vector<Prepared*>& group, std::stop_token stop) {
  for (auto* prepared : group) {  // here: rules and roots may change while the helpers work
    prepared->sandbox = sandbox_within(hands_.sandbox, prepared->run.reach);
    wall_in(prepared->sandbox, hands_.policy, hands_.workspace);
  }
  const auto effects = group.front()->run.tool->effects;
  Snapshot seen{hands_.workspace, hands_.files};
  if (effects.only(Effect::context))
    return run_one(*group.front(), seen, stop);  // it changes the conversation: here
  std::optional<Journal::Loan> loan;
  if (effects.has(Effect::execute)) seen.scanner = &loan.emplace(hands_.journal).scanner();
  inbox_.attend(
      [&] {
        std::vector<std::thread> helpers;
        std::atomic<std::size_t> next{0};
        const auto take = [&] {
          for (auto i = next++; i < group.size(); i = next++) run_one(*group[i], seen, stop);
        };
        for (std::size_t i = 1; i < std::min(group.size(), parallel_limit); ++i) helpers.emplace_back(take);
        take();
        for (auto& helper : helpers) helper.join();
      },
      group.size() > 1);
}

// A command that was tried in a sandbox and met its wall: the person says whether it may run for real. What
// it said at the wall is nobody's result.
void ToolCalls::settle_walls(Prepared& prepared, std::stop_token stop, CallsDone& done) {
  auto& run = prepared.run;
  const auto walls = std::exchange(run.output.walls, {});
  if (walls.empty() || !run.ran) return;
  const auto wanted = wall_text(walls, run.output.subject, hands_.workspace);
  const auto tried = tried_text(run.reach, wanted);
  emit_(ToolProgress{run.call.id, "\n[That was a first try in the sandbox.]\n"});
  run.output = ToolOutput{.text = {}, .subject = std::move(run.output.subject)};
  run.ran = false;
  if (hands_.policy.mode == PermissionMode::plan)
    return void(refuse(run, "Permission denied: plan mode is read-only. " + tried, wanted, done));
  Ask why{wanted, {}, {}, {}};
  why.exact = word_for_word(run.output.subject);
  if (!ask(prepared, why, stop, done)) return void(run.output.text += "\n[" + tried + "]");
  run.reach = Reach::own_rights;
  prepared.changes = {};
  execute({&prepared}, stop);
  run.output.shown = run.output.text;  // that it was tried before is told to the model
  run.output.text += "\n[" + tried + " The user approved the real run; this is its result.]";
}

ToolOutput ToolCalls::run_for_person(ToolPtr tool, const nlohmann::json& args, const std::string& call_id,
                                     std::stop_token stop) {
  Prepared prepared;
  prepared.run.tool = std::move(tool);
  prepared.run.call.id = call_id;
  prepared.run.granted = true;
  prepared.args = args;
  execute({&prepared}, stop);
  return std::move(prepared.run.output);
}

CallRun ToolCalls::run_for_file(ToolPtr tool, const nlohmann::json& args, const std::string& call_id,
                                std::stop_token stop) {
  Prepared prepared;
  CallsDone done;
  prepared.run.call = {call_id, tool->name, args.dump()};
  prepared.run.tool = std::move(tool);
  prepared.args = args;
  if (prepared.run.tool->subject) prepared.run.output.subject = prepared.run.tool->subject(args);
  if (permitted(prepared, stop, done)) {
    execute({&prepared}, stop);
    settle_walls(prepared, stop, done);
  }
  return std::move(prepared.run);
}

// What the change broke follows the result: the model need not run a build to hear of it.
void ToolCalls::look_at_changes(CallRun& run, const nlohmann::json& args, const Workspace& workspace,
                                std::stop_token stop) {
  if (!hands_.watch.changed || !run.tool->effects.has(Effect::write) || !run.tool->paths) return;
  for (const auto& path : run.tool->paths(args)) {
    const auto news = hands_.watch.changed(workspace, path, stop);
    if (!news.text.empty()) run.output.text += "\n\n" + news.text;
    if (!news.note.empty()) run.output.note += (run.output.note.empty() ? "" : " · ") + news.note;
  }
}

void ToolCalls::run_one(Prepared& prepared, const Snapshot& seen, std::stop_token stop) {
  auto& run = prepared.run;
  const auto begin = std::chrono::steady_clock::now();
  ToolContext context{
      .workspace = seen.workspace,
      .files = seen.files,
      .jobs = hands_.jobs,
      .sandbox = prepared.sandbox,
      .changes = prepared.changes,
      .stop = stop,
      .call_id = run.call.id,
      .record =
          [&](FileChange change) { inbox_.on_owner([&] { hands_.journal.record(std::move(change)); }); },
      .scanner = seen.scanner,
      .leftovers = hands_.journal.leftovers(),
      .granted = run.granted,
      .spill_dir = hands_.spill_dir,
      .allowed_env = hands_.allowed_env,
      .set_env = hands_.set_env,
      .progress =
          [&](std::string_view tail) {
            emit_(ToolProgress{run.call.id, redact(std::string(tail))});
          },
      .recall = hands_.recall,
      .context = hands_.context,
      .ask_user = hands_.ask_user};
  const auto subject = run.output.subject, note = run.output.note;
  try {
    run.output = run.tool->run(prepared.args, context);
    run.ran = true;
  } catch (const std::exception& error) {  // a fault of ours: the model is told, the turn goes on
    run.output = failure(std::string("The tool failed inside tern: ") + error.what());
  }
  if (run.output.subject.empty()) run.output.subject = subject;
  if (run.ran && !run.output.is_error) look_at_changes(run, prepared.args, seen.workspace, stop);
  if (!note.empty()) run.output.text += "\n\n[The user approved this and said: " + note + ']';
  run.cell.milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace tern
