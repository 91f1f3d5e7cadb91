#include "agent/tool_calls.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "agent/redact.h"
#include "compression/plan.h"
#include "compression/tool_kinds.h"
#include "tools/diff.h"
#include "tools/edit_match.h"
#include "tools/file_memory.h"
#include "tools/indent_unit.h"
#include "tools/workspace.h"

namespace tern {

struct ToolCalls::Prepared {
  CallRun run;
  nlohmann::json args;
  bool ready = false;  // may be executed
};

namespace {

constexpr std::size_t parallel_limit = 8;
constexpr std::size_t shown_text = 256 * 1024;

std::size_t hash_of(const ToolCall& call) { return std::hash<std::string>{}(call.name + '\0' + call.arguments); }

ToolOutput failure(std::string text) {
  ToolOutput output;
  output.text = std::move(text);
  output.is_error = true;
  return output;
}

std::string unknown_tool(const std::string& name, const std::vector<const Tool*>& offered) {
  std::string text = "There is no tool named \"" + name + "\". Available:";
  for (const auto* tool : offered) text += ' ' + std::string(tool->name);
  return text + ". Call one of these.";
}

std::string no_one_to_ask(const std::string& reason) {
  return "Permission refused: this needs the user's approval (" + reason +
         ") and nobody can be asked in this run. Do not try to get around it; go on without it or say what is needed.";
}

std::string refused_text(const std::string& note) {
  std::string text =
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
      "new_string was NOT written to the file).";
  return note.empty() ? text + " STOP what you are doing and wait for the user to tell you how to proceed."
                      : text + " The user said: " + note;
}

bool parallel(const Tool& tool) { return tool.effect == Effect::read; }

bool refuse(CallRun& run, std::string text, const std::string& reason, CallsDone& done, std::string_view note = "refused") {
  auto subject = std::move(run.output.subject);
  run.output = failure(std::move(text));
  run.output.subject = std::move(subject);
  run.output.note = note;
  run.refused = true;
  done.denials.push_back({run.tool ? std::string(run.tool->name) : run.call.name, run.call.id, run.call.arguments, reason});
  return false;
}

std::string text_of(const nlohmann::json& args, const char* key) {
  const auto found = args.find(key);
  return found != args.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(shown_text, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

// What a writing call would change, for the question; empty when it cannot be told without doing it. An edit that will not
// match is shown as its own two texts.
std::string preview(const nlohmann::json& args, const Workspace& workspace) {
  if (!args.contains("file_path")) return {};
  const auto before = file_text(workspace.locate(text_of(args, "file_path")).real);
  if (args.contains("content")) return unified_diff(before, text_of(args, "content")).text;
  auto edits = nlohmann::json::array();
  if (args.contains("old_string"))
    edits.push_back(args);
  else if (args.contains("edits"))
    edits = args.at("edits");
  auto after = before;
  for (const auto& edit : edits) {
    const EditRequest request{text_of(edit, "old_string"), text_of(edit, "new_string"),
                              edit.contains("replace_all") && edit.at("replace_all") == true,
                              has_one_unit(text_of(args, "file_path"))};
    auto outcome = apply_edit(after, request);
    if (!outcome.error.empty()) return unified_diff(request.old_text, request.new_text).text;
    after = std::move(outcome.bytes);
  }
  return unified_diff(before, after).text;
}

}  // namespace

int LoopGuard::repeats(const ToolCall& call) const {
  const auto key = hash_of(call);
  const auto seen = std::find_if(recent_.begin(), recent_.end(), [key](const Seen& s) { return s.call == key; });
  return seen == recent_.end() ? 0 : seen->times;
}

void LoopGuard::saw(const ToolCall& call, const std::string& result) {
  const auto key = hash_of(call), answer = std::hash<std::string>{}(result);
  const auto seen = std::find_if(recent_.begin(), recent_.end(), [key](const Seen& s) { return s.call == key; });
  if (seen != recent_.end()) {
    seen->times = seen->result == answer || seen->times >= teach_at ? seen->times + 1 : 1;
    seen->result = answer;
    return;
  }
  recent_.push_front({key, answer, 1, changes_files(call.name)});
  if (recent_.size() > 32) recent_.pop_back();
}

void LoopGuard::changed_files() {
  std::erase_if(recent_, [](const Seen& seen) { return !seen.writes; });
}

void ToolCalls::log_before() {
  if (const auto before = std::exchange(before_, {})) before();
}

CallsDone ToolCalls::run(const std::vector<ToolCall>& calls, std::stop_token stop, const AroundCalls& around) {
  CallsDone done;
  before_ = around.before;
  std::vector<Prepared> all(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) all[i].run.call = calls[i];
  std::size_t closed = 0;
  for (std::size_t i = 0; i < all.size();) {
    std::vector<Prepared*> group;
    do {
      prepare(all[i], stop, done);
      if (all[i].ready) group.push_back(&all[i]);
      ++i;
    } while (i < all.size() && all[i - 1].ready && parallel(*all[i - 1].run.tool) && find_tool(all[i].run.call.name) &&
             parallel(*find_tool(all[i].run.call.name)));
    execute(std::move(group), stop);
    store_.transact([&] {
      log_before();
      for (; closed < i; ++closed) {
        close(all[closed]);
        done.runs.push_back(std::move(all[closed].run));
      }
      if (i == all.size() && around.after) around.after(done);
    });
  }
  for (const auto& run : done.runs) done.stuck = done.stuck || guard_.repeats(run.call) >= LoopGuard::end_at;
  return done;
}

// Everything that can answer a call without running it.
void ToolCalls::prepare(Prepared& prepared, std::stop_token stop, CallsDone& done) {
  auto& run = prepared.run;
  run.tool = find_tool(run.call.name);
  const bool offered = run.tool && std::find(hands_.offered.begin(), hands_.offered.end(), run.tool) != hands_.offered.end();
  std::string error;
  if (stop.stop_requested() || done.said_no) {
    run.output = failure(done.said_no ? "Not run: the user refused an earlier call of this message."
                                      : "[Request interrupted by user] The call was not run.");
  } else if (!offered) {
    run.output = failure(unknown_tool(run.call.name, hands_.offered));
  } else if (!parse_args(*run.tool, run.call.arguments, prepared.args, error)) {
    run.output = failure(error);
  } else if (guard_.repeats(run.call) >= LoopGuard::teach_at) {
    run.output = failure("Not run: this exact call has given the same result " + std::to_string(LoopGuard::teach_at) +
                         " times in a row. It will not change. Do something else, or tell the user what blocks you.");
    emit_(Notice{Level::warning, std::string(run.tool->name) + " was called " + std::to_string(LoopGuard::teach_at) +
                                     " times with the same result; the model has been told to do something else."});
  } else {
    if (run.tool->subject) run.output.subject = run.tool->subject(prepared.args);
    prepared.ready = permitted(prepared, stop, done);
  }
}

bool ToolCalls::permitted(Prepared& prepared, std::stop_token stop, CallsDone& done) {
  auto& run = prepared.run;
  const auto decision = decide(hands_.policy, {*run.tool, prepared.args, hands_.workspace});
  if (const auto* why = std::get_if<Ask>(&decision)) return ask(prepared, *why, stop, done);
  if (const auto* yes = std::get_if<Allow>(&decision)) {
    run.sandboxed = yes->sandboxed;
    run.granted = yes->granted;
    return true;
  }
  refuse(run, "Permission denied: " + std::get<Deny>(decision).reason, std::get<Deny>(decision).reason, done);
  return false;
}

bool ToolCalls::ask(Prepared& prepared, const Ask& why, std::stop_token stop, CallsDone& done) {
  auto& run = prepared.run;
  const auto& tool = *run.tool;
  if (!hands_.may_ask) return refuse(run, no_one_to_ask(why.reason), why.reason, done);
  const auto id = next_question_++;
  log_before();
  auto body = tool.effect == Effect::execute ? run.output.subject
                                             : prepared.args.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  for (const auto& target : why.targets) body += "\n  → " + target;
  emit_(PermissionAsked{id, std::string(tool.name),
                        std::string(tool.label.empty() ? tool.name : tool.label) + ' ' + run.output.subject, std::move(body),
                        preview(prepared.args, hands_.workspace), why.reason, why.remember});
  const auto answer = inbox_.wait_answer(id, stop);
  const auto verdict = answer ? answer->verdict : Verdict::no;
  emit_(PermissionSettled{id, verdict});
  if (!answer) return refuse(run, "[Request interrupted by user] The call was not run.", why.reason, done);
  if (verdict == Verdict::no) {
    done.said_no = answer->note.empty();
    return refuse(run, refused_text(answer->note), why.reason, done, "you said no");
  }
  if (verdict == Verdict::yes_remember) {
    for (const auto& rule : why.grants) {
      hands_.policy.rules.push_back(rule);
      store_.grant(rule_text(rule), true);
    }
  }
  run.output.note = answer->note;
  run.granted = true;
  return true;
}

void ToolCalls::execute(std::vector<Prepared*> group, std::stop_token stop) {
  if (group.empty()) return;
  store_.transact([&] {
    log_before();
    for (auto* prepared : group) {
      const auto& run = prepared->run;
      store_.started(
          {run.call.id, std::string(run.tool->name), std::string(run.tool->label), run.output.subject, run.call.arguments});
    }
  });
  for (auto* prepared : group) {
    const auto& run = prepared->run;
    emit_(ToolStarted{run.call.id, std::string(run.tool->name), std::string(run.tool->label), run.output.subject,
                      run.call.arguments});
  }
  if (group.front()->run.tool->effect == Effect::context)
    return run_one(*group.front(), stop);  // it changes the conversation: here
  inbox_.attend([&] {
    std::vector<std::thread> helpers;
    std::atomic<std::size_t> next{0};
    const auto take = [&] {
      for (auto i = next++; i < group.size(); i = next++) run_one(*group[i], stop);
    };
    for (std::size_t i = 1; i < std::min(group.size(), parallel_limit); ++i) helpers.emplace_back(take);
    take();
    for (auto& helper : helpers) helper.join();
  });
}

void ToolCalls::run_one(Prepared& prepared, std::stop_token stop) {
  auto& run = prepared.run;
  const auto begin = std::chrono::steady_clock::now();
  auto sandbox = hands_.sandbox;
  sandbox.on = run.sandboxed;
  ToolContext context{.workspace = hands_.workspace,
                      .files = hands_.files,
                      .journal = hands_.journal,
                      .jobs = hands_.jobs,
                      .sandbox = sandbox,
                      .todos = hands_.todos,
                      .stop = stop,
                      .call_id = run.call.id,
                      .granted = run.granted,
                      .spill_dir = hands_.spill_dir,
                      .allowed_env = hands_.allowed_env,
                      .progress =
                          [&](std::string_view tail) {
                            emit_(ToolProgress{run.call.id, redact(std::string(tail))});
                          },
                      .recall = hands_.recall,
                      .context = hands_.context};
  const auto subject = run.output.subject, note = run.output.note;
  try {
    run.output = run.tool->run(prepared.args, context);
    run.ran = true;
  } catch (const std::exception& error) {  // a fault of ours: the model is told, the turn goes on
    run.output = failure(std::string("The tool failed inside tern: ") + error.what());
  }
  if (run.output.subject.empty()) run.output.subject = subject;
  if (!note.empty()) run.output.text += "\n\n[The user approved this and said: " + note + ']';
  run.cell.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();
}

// The result goes into the log with its original, then onto the screen. Its text is never empty.
void ToolCalls::close(Prepared& prepared) {
  auto& run = prepared.run;
  for (auto* text : {&run.output.text, &run.output.subject, &run.output.note, &run.output.diff}) *text = redact(std::move(*text));
  if (run.output.text.empty()) run.output.text = "(no output)";
  if (run.ran && !run.output.is_error && changes_files(std::string(run.tool->name))) guard_.changed_files();
  guard_.saw(run.call, run.output.text);  // also what was refused or could not be read: it would be asked for ever
  auto& cell = run.cell;
  cell.call_id = run.call.id;
  cell.tool = run.tool ? std::string(run.tool->name) : run.call.name;
  if (run.tool) cell.label = run.tool->label;
  cell.subject = run.output.subject;
  cell.note = run.output.note;
  cell.diff = run.output.diff;
  cell.text = run.output.text.substr(0, shown_text);
  cell.is_error = run.output.is_error;
  cell.exit_status = run.output.exit_status;
  store_.transact([&] {
    keep_original(run);
    store_.finished(cell, run.result);
    store_.afterwards([this, cell] { emit_(cell); });
  });
}

void ToolCalls::keep_original(CallRun& run) {
  const auto budget = budget_of(context_);
  auto& result = run.result;
  result = {run.call.id, run.cell.tool,   std::move(run.output.text), run.output.is_error, run.output.subject,
            {},          ResultForm::full};
  if (!run.output.spill.empty()) {
    redact_file(run.output.spill);
    result.recall = store_.put_original_file(run.output.spill, result.tool, result.subject);
  } else if (result.text.size() > budget.config.snip_limit) {
    result.recall = store_.put_original(result.text, result.tool, result.subject);
  } else {
    result.recall = store_.next_recall();
  }
  const std::string whole = result.text.size() > budget.config.snip_limit ? std::string() : result.text;
  Item alone;
  alone.role = Role::user;
  alone.blocks.push_back(std::move(result));
  alone = snip(std::move(alone), budget);
  result = std::get<ToolResult>(std::move(alone.blocks.front()));
  if (!whole.empty() && result.text != whole) store_.put_original(result.recall, whole, result.tool, result.subject);
  if (result.form != ResultForm::full) hands_.files.forget_call(result.call_id);  // it does not show the file as it is
  run.cell.recall = result.recall;
  run.cell.form = result.form;
}

}  // namespace tern
