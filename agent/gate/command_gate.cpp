#include <algorithm>
#include <cctype>
#include <system_error>

#include "agent/gate/command_kinds.h"
#include "agent/gate/command_needs.h"
#include "agent/gate/file_rules.h"
#include "agent/gate/permission.h"
#include "tools/files/program_path.h"

namespace tern {

namespace {

namespace fs = std::filesystem;
using Kind = PermissionRule::Kind;
using Words = std::vector<std::string>;

std::string with_article(const std::string& noun) {
  return (noun.find_first_of("aeiou") == 0 ? "an " : "a ") + noun;
}

constexpr std::size_t most_words = 5000;
constexpr std::string_view harmless_variables =
    "CI NO_COLOR FORCE_COLOR CLICOLOR NODE_ENV RUST_BACKTRACE RUST_LOG DEBUG VERBOSE V LANG LC_ALL TZ "
    "CTEST_OUTPUT_ON_FAILURE "
    "GTEST_COLOR CARGO_TERM_COLOR COLUMNS PYTHONUNBUFFERED "
    "PYTHONDONTWRITEBYTECODE GOOS GOARCH CGO_ENABLED ASAN_OPTIONS UBSAN_OPTIONS TERM";

bool harmless_assignment(const std::string& assignment) {
  const std::string name = assignment.substr(0, assignment.find('='));
  if (in_list(name, "PAGER GIT_PAGER")) return assignment == name + "=cat" || assignment == name + "=";
  return in_list(name, harmless_variables);
}

class Gate {
 public:
  using Step = CommandStep;
  Gate(const PermissionPolicy& policy, std::string_view line, const Workspace& workspace)
      : policy_(policy), line_(line), workspace_(workspace) {
    mode_ = effective_mode(policy, ignored_);
  }

  Decision decide() {
    if (line_.find('\0') != line_.npos) return Deny{"the command contains a NUL byte"};
    if (std::any_of(steps_.begin(), steps_.end(),
                    [](const Step& step) { return step.command->words.size() > most_words; }))
      return Deny{"one command has more than " + std::to_string(most_words) +
                  " words; write a script file and run that"};
    if (script_.too_long)
      return Deny{"the command has more than " + std::to_string(max_segments) +
                  " parts; write a script file and run that"};
    const RuleHit refused = hit(Kind::deny);
    if (refused.rule && refused.sure) return Deny{"blocked by the rule " + told(refused)};
    if (mode_ == PermissionMode::bypass) return bypassed(refused);
    std::string why = why_not_covered(true);
    if (mode_ == PermissionMode::plan) return planned(why, refused);
    if (Ask ask = destructive(); !ask.reason.empty()) return ask;
    if (!script_.error.empty() && !policy_.sandbox_ready)
      return Ask{"tern can't read this command for certain: " + script_.error, {}, {}, {}};
    if (refused.rule) return unsure(refused);
    const bool walls = policy_.sandbox_ready;
    if (std::string protect = writes_protected(!walls); !protect.empty()) return Ask{protect, {}, {}, {}};
    if (const RuleHit found = hit(Kind::ask); found.rule)
      return Ask{"this rule asks first: " + told(found), {}, {}, {}};
    if (why.empty()) return looking();
    const PermissionRule* same = exact();
    why = same ? "" : why_not_covered(false);
    if (same || !allowed_by_.empty())  // it would run outside the sandbox, which protects these paths
      if (std::string protect = writes_protected(true); !protect.empty()) return Ask{protect, {}, {}, {}};
    if (same) return Allow{"allowed by the rule " + to_string(*same), true};
    if (why.empty() && !allowed_by_.empty()) return Allow{"allowed by the rule " + allowed_by_, true};
    if (why.empty()) return Allow{"edits are accepted", false, walls ? Reach::workspace : Reach::own_rights};
    return walls ? in_sandbox() : question(why);
  }

 private:
  static std::string told(const RuleHit& hit) {
    return to_string(*hit.rule) + (hit.what.empty() ? "" : ": " + hit.what);
  }

  RuleHit hit(Kind kind) const {
    for (const PermissionRule& rule : policy_.rules)
      if (rule.kind == kind && rule_is_for(rule, "Bash", Effect::execute))
        for (const Step& step : steps_)
          for (const Words& words : step.unwrapped)
            if (rule_hits_words(rule, words)) return {&rule, true, {}};
    for (const Step& step : steps_)
      if (RuleHit found = file_rule_hit(policy_, kind, step.unwrapped, {workspace_, step.cwd}); found.rule)
        return found;
    for (const PermissionRule& rule : policy_.rules)
      if (rule.kind == kind && !script_.plain() && named_in_line(rule)) return {&rule, false, {}};
    return {};
  }

  // What could not be parsed to the end is searched as text, for whole words.
  bool named_in_line(const PermissionRule& rule) const {
    std::string_view start = std::string_view(rule.spec).substr(0, rule.spec.find_first_of("*:?["));
    while (!start.empty() && (start.back() == ' ' || start.back() == '/')) start.remove_suffix(1);
    const auto part = [&](std::size_t at) {
      return at < line_.size() && (std::isalnum(static_cast<unsigned char>(line_[at])) != 0 ||
                                   line_[at] == '_' || line_[at] == '-');
    };
    for (std::size_t at = line_.find(start); !start.empty() && at != line_.npos;
         at = line_.find(start, at + 1))
      if (!(at > 0 && part(at - 1)) && !part(at + start.size())) return true;
    return false;
  }

  const PermissionRule* exact() const {
    const auto same = [&](const PermissionRule& rule) {
      return rule.kind == Kind::allow && rule.tool == "Bash" && !rule.spec.empty() && rule.spec == line_;
    };
    const auto found = std::find_if(policy_.rules.begin(), policy_.rules.end(), same);
    return found == policy_.rules.end() ? nullptr : &*found;
  }

  Ask destructive(bool only_breaker = false) const {
    Ask ask{.reason = {}, .remember = {}, .grants = {}, .targets = {}, .danger = true};
    for (const Step& step : steps_)
      for (const fs::path& cwd : places_of(step.unwrapped, {workspace_, step.cwd}))
        for (const Words& words : step.unwrapped) {
          const Destruction found = destroys(words, step.command->plain(), CommandPlace{workspace_, cwd});
          if (found.reason.empty() || (only_breaker && !found.breaker)) continue;
          if (ask.reason.empty()) ask.reason = "destructive: " + found.reason;
          for (const std::string& target : found.targets)
            if (std::find(ask.targets.begin(), ask.targets.end(), target) == ask.targets.end())
              ask.targets.push_back(target);
        }
    if (only_breaker) return ask;
    if (ask.reason.empty()) ask.reason = rewrites_elsewhere(steps_);
    if (ask.reason.empty()) {
      std::vector<std::vector<Words>> started;
      for (const Step& step : steps_) started.push_back(step.unwrapped);
      if (const std::string unseen = runs_unseen(started); !unseen.empty()) {
        ask.reason = unseen;
        ask.targets.push_back(unseen.substr(unseen.find(": ") + 2));
      }
    }
    const auto has = [&](const char* what) {
      return std::find(script_.unplain.begin(), script_.unplain.end(), what) != script_.unplain.end();
    };
    if (ask.reason.empty() && has("function") && has("background command"))
      ask.reason = "a function that starts itself in the background may never stop";
    return ask;
  }

  // `any_word`: also named by a program that is not known to write.
  std::string writes_protected(bool any_word) const {
    for (const Step& step : steps_) {
      const CommandPlace place{workspace_, step.cwd};
      const auto check = [&](const std::string& text) -> std::string {
        if (text.empty() || text.size() > 4096) return {};
        const Place where = place.locate(text);
        return where.error.empty() && !where.protect.empty() ? text + " is protected: " + where.protect
                                                             : std::string();
      };
      for (const ShellRedirect& r : step.command->redirects)
        if (r.writes())
          if (std::string why = check(r.target.text); !why.empty()) return why;
      if (!any_word && effect_of(words_of(*step.command)) == nullptr) continue;
      if (why_not_harmless(*step.command, place).empty()) continue;
      for (std::size_t i = 1; i < step.command->words.size(); ++i)
        for (const std::string& text : path_candidates(step.command->words[i].text))
          if (std::string why = check(text); !why.empty()) return why;
    }
    return {};
  }

  // ---- what may run unasked

  std::string why_not_covered(bool only_looking) {
    uncovered_.clear();
    if (!script_.error.empty()) return script_.error;
    if (!script_.unplain.empty())
      return "contains " + with_article(script_.unplain.front()) +
             "; tern can't tell in advance what it runs";
    std::string first;
    for (const Step& step : steps_) {
      const std::string why = why_not_covered(step, only_looking);
      if (why.empty()) continue;
      uncovered_.push_back(&step);
      if (first.empty()) first = why;
    }
    if (script_.commands.empty()) return "no command in it";
    return first;
  }

  std::string why_not_covered(const Step& step, bool only_looking) {
    const ShellCommand& command = *step.command;
    const CommandPlace place{workspace_, step.cwd};
    if (step.lost) return "tern can't tell in advance which folder it runs in";
    if (!command.plain())
      return "the shell expands some of its words; tern can't tell in advance what it runs";
    for (const std::string& assignment : command.assignments)
      if (!harmless_assignment(assignment) || command.words.empty()) return "sets " + assignment;
    for (const ShellRedirect& r : command.redirects)
      if (std::string why = why_not_redirect(r, step, only_looking); !why.empty()) return why;
    if (command.words.empty()) return command.redirects.empty() ? "nothing to run" : "";
    if (command.words[0].text == "cd") return why_not_cd(command, place);
    const std::string looking = why_not_harmless(bare(command), place);
    if (looking.empty()) return why_not_program(command);
    if (only_looking) return looking;
    if (mode_ == PermissionMode::accept_edits && makes_inside(command, place)) return {};
    return allowed_by_rule(command, place) ? why_not_program(command) : looking;
  }

  std::string why_not_program(const ShellCommand& command) const {
    const std::string& name = command.words[0].text;
    if (name.find('/') != std::string::npos) return {};
    std::error_code error;
    const fs::path found = policy_.find_program ? policy_.find_program(name)
                                                : fs::weakly_canonical(find_program(name.c_str()), error);
    return !found.empty() && workspace_.inside(found)
               ? name + " would run a program from this folder, " + found.string()
               : std::string();
  }

  std::string why_not_cd(const ShellCommand& command, const CommandPlace& place) const {
    if (command.words.size() != 2) return "leaves the workspace";
    const Place there = place.locate(command.words[1]);
    std::error_code error;
    if (!there.error.empty() || !there.inside)
      return "goes to " + command.words[1].text + ", outside the workspace";
    return fs::is_directory(there.real, error) ? std::string()
                                               : command.words[1].text + " is not a directory";
  }

  std::string why_not_redirect(const ShellRedirect& r, const Step& step, bool only_looking) const {
    if (r.op == "<<" || r.op == "<<-" || r.op == "<<<" || (r.op == "<&" || (r.op == ">&" && !r.writes())))
      return r.target.literal || r.op[0] != '<' ? "" : "tern can't tell in advance what its input is";
    if (!r.target.literal) return "tern can't tell in advance where " + r.op + " leads";
    if (in_list(r.target.text, "/dev/null /dev/stdout /dev/stderr")) return {};
    if (r.target.text.empty() || r.target.text[0] == '!')
      return "other shells read this redirection differently";
    const Place where = CommandPlace{workspace_, step.cwd}.locate(r.target);
    if (!where.error.empty()) return where.error;
    if (!r.writes())
      return !where.inside                      ? "reads " + r.target.text + ", outside the workspace"
             : holds_secrets(where, workspace_) ? r.target.text + " may hold secrets"
                                                : "";
    return only_looking ? "writes " + r.target.text : why_not_written(r, where, step);
  }

  std::string why_not_written(const ShellRedirect& r, const Place& where, const Step& step) const {
    if (step.cwd != workspace_.cwd()) return "writes " + r.target.text + " after changing the directory";
    if (mode_ == PermissionMode::accept_edits && where.inside && where.protect.empty()) return {};
    for (const PermissionRule& rule : policy_.rules)
      if (rule.kind == Kind::allow && rule_is_for(rule, "Write", Effect::write) && !rule.spec.empty() &&
          where.protect.empty() && matches_path(rule.spec, workspace_, where.real))
        return {};
    return "writes " + r.target.text;
  }

  bool makes_inside(const ShellCommand& command, const CommandPlace& place) const {
    if (!in_list(command.words[0].text, "mkdir touch")) return false;
    return std::all_of(command.words.begin() + 1, command.words.end(), [&](const ShellWord& word) {
      if (word.text == "-p") return true;
      const Place where = place.locate(word);
      return word.text[0] != '-' && where.error.empty() && where.inside && where.protect.empty();
    });
  }

  bool allowed_by_rule(const ShellCommand& command, const CommandPlace& place) {
    const Words words = words_of(command);
    if (!smuggles(words).empty()) {
      // Only word for word.
      for (const PermissionRule& rule : policy_.rules)
        if (rule.kind == Kind::allow && rule.tool == "Bash" && rule.spec == command.joined()) return true;
      return false;
    }
    for (const PermissionRule& rule : policy_.rules) {
      if (rule.kind != Kind::allow || rule.tool != "Bash" || rule.spec.empty() ||
          !rule_covers_words(rule, words))
        continue;
      if (names_secret(command, place) ||
          !search_shows_secret(command, operands_of(command), place).empty() ||
          !looks_outside(command, place).empty() || !writes_system(command, place).empty() ||
          (words.front() == "git" && in_nested_repository(place)))
        return false;
      allowed_by_ = to_string(rule);
      return true;
    }
    return false;
  }

  static std::vector<ShellWord> operands_of(const ShellCommand& command) {
    return {command.words.begin() + 1, command.words.end()};
  }

  // ---- answers

  Decision looking() const {
    return Allow{"read-only", false, policy_.sandbox_ready ? Reach::look : Reach::own_rights};
  }
  static Decision unsure(const RuleHit& refused) {
    return Ask{"this rule may block it: " + told(refused), {}, {}, {}};
  }

  // Asks only at the circuit breaker, or when a deny rule of the user may apply.
  Decision bypassed(const RuleHit& refused) const {
    if (Ask ask = destructive(true); !ask.reason.empty()) return ask;
    if (refused.rule) return unsure(refused);
    return Allow{"bypass mode", true};
  }

  Decision planned(const std::string& why, const RuleHit& refused) const {
    if (why.empty() && !refused.rule) return looking();
    if (!policy_.sandbox_ready) return Deny{"plan mode is read-only: " + (why.empty() ? told(refused) : why)};
    if (Ask ask = destructive(); !ask.reason.empty()) return Deny{"plan mode is read-only: " + ask.reason};
    if (refused.rule) return unsure(refused);
    if (const RuleHit found = hit(Kind::ask); found.rule)
      return Ask{"this rule asks first: " + told(found), {}, {}, {}};
    if (const Need need = needed(steps_, workspace_); !need.why.empty())
      return Deny{"plan mode is read-only: " + need.why};
    return Allow{"tried in a read-only sandbox", false, Reach::try_looking};
  }

  Decision in_sandbox() const {
    const Need need = needed(steps_, workspace_);
    if (const std::string secret = shows_secret(steps_, workspace_); !secret.empty())
      return Ask{secret, {}, {}, {}};
    if (mode_ == PermissionMode::ask)
      return need.why.empty() ? Allow{"not known to write", false, Reach::try_looking} : question(need.why);
    if (const std::string outside = writes_outside(steps_, workspace_); !outside.empty())
      return question(outside);
    if (need.does <= Effects::writes) return Allow{"inside the sandbox", false, Reach::workspace};
    if (need.does == Effects::repository && mode_ == PermissionMode::automatic && policy_.repository_ready) {
      if (const std::string other = other_repository(steps_, workspace_); !other.empty())
        return question(other);
      if (const std::string sign = signs_commits(steps_, workspace_); !sign.empty()) return question(sign);
      return Allow{"local git work runs in the sandbox", false, Reach::repository};
    }
    return question(need.why + ", which the sandbox doesn't allow");
  }

  Decision question(const std::string& why) const {
    Ask ask{.reason = why, .remember = {}, .grants = {}, .targets = {}, .exact = word_for_word(line_)};
    if (!script_.plain()) return ask;
    for (const Step* step : uncovered_) {
      const ShellCommand& command = *step->command;
      const bool within = looks_outside(command, {workspace_, workspace_.cwd()}).empty();
      const std::string spec = within ? grantable_prefix(command) : std::string();
      if (!spec.empty()) ask.grants.push_back({Kind::allow, "Bash", spec, "this session"});
      if (spec.empty() || !grant_redirects(*step, ask.grants)) {
        ask.grants.clear();
        return ask;
      }
    }
    ask.remember = grant_text(ask.grants);
    return ask;
  }

  // A file that the shell writes is an edit of its own beside the program. False: not to be granted.
  bool grant_redirects(const Step& step, std::vector<PermissionRule>& grants) const {
    for (const ShellRedirect& r : step.command->redirects) {
      if (why_not_redirect(r, step, false).empty()) continue;
      if (!r.writes() || !r.target.literal || step.cwd != workspace_.cwd()) return false;
      const Place where = CommandPlace{workspace_, step.cwd}.locate(r.target);
      const std::string path = where.real.native();
      if (!where.error.empty() || !where.inside || !where.protect.empty() || where.through_link ||
          holds_secrets(where, workspace_) || path.find_first_of("*?[{\\") != path.npos)
        return false;
      const std::string relative = where.real.lexically_relative(workspace_.root()).native();
      const bool named = relative.find('/') != relative.npos && !relative.starts_with("..");
      grants.push_back({Kind::allow, "Edit", named ? relative : path, "this session"});
    }
    return true;
  }

  const PermissionPolicy& policy_;
  std::string_view line_;
  const Workspace& workspace_;
  const ShellScript script_ = parse_shell(line_);
  const std::vector<Step> steps_ = steps_of(script_, line_, workspace_);
  PermissionMode mode_ = PermissionMode::ask;
  std::string ignored_, allowed_by_;
  std::vector<const Step*> uncovered_;
};

}  // namespace

Decision decide_command(const PermissionPolicy& policy, std::string_view command,
                        const Workspace& workspace) {
  return Gate(policy, command, workspace).decide();
}

}  // namespace tern
