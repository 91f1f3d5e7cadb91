#include <unistd.h>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <system_error>

#include "agent/command_kinds.h"
#include "agent/file_rules.h"
#include "agent/permission.h"
#include "agent/permission_match.h"

namespace tern {

namespace {

namespace fs = std::filesystem;
using Kind = PermissionRule::Kind;
using Words = std::vector<std::string>;

std::string with_article(const std::string& noun) { return (noun.find_first_of("aeiou") == 0 ? "an " : "a ") + noun; }

constexpr std::size_t most_words = 5000;
constexpr std::string_view harmless_variables =
    "CI NO_COLOR FORCE_COLOR CLICOLOR NODE_ENV RUST_BACKTRACE RUST_LOG DEBUG VERBOSE V LANG LC_ALL TZ CTEST_OUTPUT_ON_FAILURE "
    "GTEST_COLOR CARGO_TERM_COLOR COLUMNS PYTHONUNBUFFERED "
    "PYTHONDONTWRITEBYTECODE GOOS GOARCH CGO_ENABLED ASAN_OPTIONS UBSAN_OPTIONS TERM";

fs::path search_path(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const fs::path candidate = fs::path(std::string(rest.substr(0, colon))) / std::string(name);
    if (candidate.is_absolute() && ::access(candidate.c_str(), X_OK) == 0) {
      std::error_code error;
      return fs::weakly_canonical(candidate, error);
    }
    rest = colon == rest.npos ? std::string_view() : rest.substr(colon + 1);
  }
  return {};
}

bool harmless_assignment(const std::string& assignment) {
  const std::string name = assignment.substr(0, assignment.find('='));
  if (in_list(name, "PAGER GIT_PAGER")) return assignment == name + "=cat" || assignment == name + "=";
  return in_list(name, harmless_variables);
}

Words texts(const ShellCommand& command) {
  Words words;
  for (const ShellWord& word : command.words) words.push_back(word.text);
  return words;
}

class Gate {
 public:
  Gate(const PermissionPolicy& policy, std::string_view line, const Workspace& workspace)
      : policy_(policy), line_(line), workspace_(workspace), script_(parse_shell(line)) {
    mode_ = effective_mode(policy, ignored_);
    walk();
  }

  Decision decide() {
    if (line_.find('\0') != line_.npos) return Deny{"the command holds a NUL byte"};
    if (std::any_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.command->words.size() > most_words; }))
      return Deny{"one command has more than " + std::to_string(most_words) + " words; write a script file and run that"};
    if (script_.too_long)
      return Deny{"the command has more than " + std::to_string(max_segments) + " parts; write a script file and run that"};
    const RuleHit refused = hit(Kind::deny);
    if (refused.rule && refused.sure) return Deny{"refused by the rule " + told(refused)};
    std::string why = why_not_covered(true);
    if (mode_ == PermissionMode::plan && !why.empty()) return Deny{"plan mode only looks: " + why};
    if (Ask ask = destructive(); !ask.reason.empty()) return ask;
    if (!script_.error.empty()) return Ask{"it cannot be read with certainty: " + script_.error, {}, {}, {}};
    if (refused.rule) return Ask{"it may be what is refused by the rule " + told(refused), {}, {}, {}};
    if (mode_ == PermissionMode::bypass) return Allow{"bypass mode", true};
    if (std::string protect = writes_protected(); !protect.empty()) return Ask{protect, {}, {}, {}};
    if (const RuleHit found = hit(Kind::ask); found.rule) return Ask{"asked for by the rule " + told(found), {}, {}, {}};
    if (why.empty()) return Allow{"it only looks"};
    if (const PermissionRule* rule = exact()) return Allow{"allowed by the rule " + to_string(*rule), true};
    why = why_not_covered(false);
    if (why.empty())
      return Allow{allowed_by_.empty() ? "edits are accepted" : "allowed by the rule " + allowed_by_, !allowed_by_.empty()};
    if (mode_ == PermissionMode::automatic) return in_sandbox();
    return question(why);
  }

 private:
  struct Step {
    const ShellCommand* command;
    fs::path cwd;
    bool lost;                     // after a cd nobody can follow
    std::vector<Words> unwrapped;  // it, and what it would start
  };

  // Where each command stands: literal cds are followed, as far as it is sure that they take place, and in this shell.
  void walk() {
    fs::path cwd = workspace_.cwd();
    bool lost = false;
    for (std::size_t i = 0; i < script_.commands.size(); ++i) {
      const ShellCommand& command = script_.commands[i];
      steps_.push_back({&command, lost ? fs::path("/") : cwd, lost, unwrap(command)});
      add_input(i);
      if (!moves(steps_.back())) continue;
      const std::string after = i + 1 < script_.commands.size() ? script_.commands[i + 1].before : std::string();
      const bool sure = command.words[0].text == "cd" && command.words.size() == 2 && command.words[1].literal &&
                        command.words[1].text != "-" && command.depth == 0 && !command.background &&
                        !in_list(command.before, "| |& ||") && !in_list(after, "| |& ||") && line_.find("CDPATH") == line_.npos;
      const Place there = sure ? CommandPlace{workspace_, cwd}.locate(command.words[1]) : Place{};
      std::error_code error;
      lost = lost || !sure || !there.error.empty() || !fs::is_directory(there.real, error);
      cwd = there.real;
    }
  }

  // "cd", also behind "command", "builtin" and "eval", which run in this shell.
  static bool moves(const Step& step) {
    const std::vector<ShellWord>& words = step.command->words;
    if (words.empty()) return false;
    if (in_list(words[0].text, "cd pushd popd chdir")) return true;
    return (in_list(words[0].text, "command builtin eval") || words[0].text.starts_with("-")) &&
           std::any_of(step.unwrapped.begin(), step.unwrapped.end(),
                       [](const Words& inner) { return in_list(inner.front(), "cd pushd popd chdir"); });
  }

  // What a shell is given to read: a here-document, a here-string, or the words of an echo before the "|".
  void add_input(std::size_t at) {
    Step& step = steps_.back();
    const auto add = [&](std::string_view text) {
      for (Words& words : unwrap_input(*step.command, text)) step.unwrapped.push_back(std::move(words));
    };
    for (const ShellRedirect& r : step.command->redirects)
      if (r.op == "<" && !r.target.literal)
        add("$unknown");
      else if (r.op.starts_with("<<"))
        add(r.op == "<<<" ? r.target.text : r.body);
    if (at == 0 || !in_list(step.command->before, "| |&")) return;
    const ShellCommand& source = script_.commands[at - 1];
    for (const ShellRedirect& r : source.redirects)
      if (r.op.starts_with("<<")) add(r.op == "<<<" ? r.target.text : r.body);
    std::string joined;
    for (std::size_t i = 1; i < source.words.size(); ++i) {
      add(source.words[i].text);
      joined.append(joined.empty() ? "" : " ").append(source.words[i].text);
    }
    add(joined);
  }

  static std::string told(const RuleHit& hit) { return to_string(*hit.rule) + (hit.what.empty() ? "" : ": " + hit.what); }

  RuleHit hit(Kind kind) const {
    for (const PermissionRule& rule : policy_.rules)
      if (rule.kind == kind && rule_is_for(rule, "Bash", Effect::execute))
        for (const Step& step : steps_)
          for (const Words& words : step.unwrapped)
            if (rule_hits_words(rule, words)) return {&rule, true, {}};
    for (const Step& step : steps_)
      if (RuleHit found = file_rule_hit(policy_, kind, step.unwrapped, {workspace_, step.cwd}); found.rule) return found;
    for (const PermissionRule& rule : policy_.rules)
      if (rule.kind == kind && !script_.plain() && named_in_line(rule)) return {&rule, false, {}};
    return {};
  }

  // What could not be parsed to the end is searched as text, for whole words.
  bool named_in_line(const PermissionRule& rule) const {
    std::string_view start = std::string_view(rule.spec).substr(0, rule.spec.find_first_of("*:?["));
    while (!start.empty() && (start.back() == ' ' || start.back() == '/')) start.remove_suffix(1);
    const auto part = [&](std::size_t at) {
      return at < line_.size() &&
             (std::isalnum(static_cast<unsigned char>(line_[at])) != 0 || line_[at] == '_' || line_[at] == '-');
    };
    for (std::size_t at = line_.find(start); !start.empty() && at != line_.npos; at = line_.find(start, at + 1))
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

  Ask destructive() const {
    Ask ask;
    for (const Step& step : steps_)
      for (const fs::path& cwd : places_of(step.unwrapped, {workspace_, step.cwd}))
        for (const Words& words : step.unwrapped) {
          const Destruction found = destroys(words, step.command->plain(), CommandPlace{workspace_, cwd});
          if (found.reason.empty()) continue;
          if (ask.reason.empty())
            ask.reason = "it " + (in_list(found.reason.substr(0, found.reason.find(' ')), "deletes changes writes runs")
                                      ? found.reason
                                      : "is destructive: " + found.reason);
          for (const std::string& target : found.targets)
            if (std::find(ask.targets.begin(), ask.targets.end(), target) == ask.targets.end()) ask.targets.push_back(target);
        }
    if (ask.reason.empty()) {
      std::vector<std::vector<Words>> started;
      for (const Step& step : steps_) started.push_back(step.unwrapped);
      if (const std::string unseen = runs_unseen(script_, started); !unseen.empty()) {
        ask.reason = "it " + unseen;
        ask.targets.push_back(unseen.substr(unseen.find(": ") + 2));
      }
    }
    const auto has = [&](const char* what) {
      return std::find(script_.unplain.begin(), script_.unplain.end(), what) != script_.unplain.end();
    };
    if (ask.reason.empty() && has("function") && has("background command"))
      ask.reason = "a function that starts itself in the background may multiply without end";
    return ask;
  }

  std::string writes_protected() const {
    for (const Step& step : steps_) {
      const CommandPlace place{workspace_, step.cwd};
      const auto check = [&](const std::string& text) -> std::string {
        if (text.empty() || text.size() > 4096) return {};
        const Place where = place.locate(text);
        return where.error.empty() && !where.protect.empty() ? text + " is protected: " + where.protect : std::string();
      };
      for (const ShellRedirect& r : step.command->redirects)
        if (r.writes())
          if (std::string why = check(r.target.text); !why.empty()) return why;
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
      return "it holds " + with_article(script_.unplain.front()) + ", so what runs is only known then";
    std::string first;
    for (const Step& step : steps_) {
      const std::string why = why_not_covered(step, only_looking);
      if (why.empty()) continue;
      uncovered_.push_back(step.command);
      if (first.empty()) first = why;
    }
    if (script_.commands.empty()) return "there is no command in it";
    return first;
  }

  std::string why_not_covered(const Step& step, bool only_looking) {
    const ShellCommand& command = *step.command;
    const CommandPlace place{workspace_, step.cwd};
    if (step.lost) return "the directory it runs in is only known then";
    if (!command.plain()) return "not every word is literal";
    for (const std::string& assignment : command.assignments)
      if (!harmless_assignment(assignment) || command.words.empty()) return "it sets " + assignment;
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

  // "/usr/bin/ls" is "ls"; no other path is.
  static ShellCommand bare(ShellCommand command) {
    for (const char* directory : {"/usr/bin/", "/bin/"})
      if (command.words[0].text.rfind(directory, 0) == 0) command.words[0].text.erase(0, std::string_view(directory).size());
    return command;
  }

  std::string why_not_program(const ShellCommand& command) const {
    const std::string& name = command.words[0].text;
    if (name.find('/') != std::string::npos) return {};
    const fs::path found = policy_.find_program ? policy_.find_program(name) : search_path(name);
    return !found.empty() && workspace_.inside(found) ? name + " would be a program of this folder, " + found.string()
                                                      : std::string();
  }

  std::string why_not_cd(const ShellCommand& command, const CommandPlace& place) const {
    if (command.words.size() != 2) return "it leaves the workspace";
    const Place there = place.locate(command.words[1]);
    std::error_code error;
    if (!there.error.empty() || !there.inside) return "it goes to " + command.words[1].text + ", outside the workspace";
    return fs::is_directory(there.real, error) ? std::string() : command.words[1].text + " is not a directory";
  }

  std::string why_not_redirect(const ShellRedirect& r, const Step& step, bool only_looking) const {
    if (r.op == "<<" || r.op == "<<-" || r.op == "<<<" || (r.op == "<&" || (r.op == ">&" && !r.writes())))
      return r.target.literal || r.op[0] != '<' ? "" : "its input is only known then";
    if (!r.target.literal) return "the target of " + r.op + " is only known then";
    if (in_list(r.target.text, "/dev/null /dev/stdout /dev/stderr")) return {};
    if (r.target.text.empty() || r.target.text[0] == '!') return "other shells read this redirection differently";
    const Place where = CommandPlace{workspace_, step.cwd}.locate(r.target);
    if (!where.error.empty()) return where.error;
    if (!r.writes())
      return !where.inside                      ? "it reads " + r.target.text + ", outside the workspace"
             : holds_secrets(where, workspace_) ? r.target.text + " may hold secrets"
                                                : "";
    if (only_looking) return "it writes " + r.target.text;
    if (step.cwd != workspace_.cwd()) return "it writes " + r.target.text + " after changing the directory";
    if (mode_ == PermissionMode::accept_edits && where.inside && where.protect.empty()) return {};
    for (const PermissionRule& rule : policy_.rules)
      if (rule.kind == Kind::allow && rule_is_for(rule, "Write", Effect::write) && !rule.spec.empty() && where.protect.empty() &&
          matches_path(rule.spec, workspace_, where.real))
        return {};
    return "it writes " + r.target.text;
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
    const Words words = texts(command);
    // A module has a name, as a program has.
    const bool module = words.size() > 2 && program_name(words.front()).starts_with("python") && words[1] == "-m";
    if ((is_interpreter(words.front()) && !module) || !smuggles(words).empty()) {
      // Only word for word.
      for (const PermissionRule& rule : policy_.rules)
        if (rule.kind == Kind::allow && rule.tool == "Bash" && rule.spec == command.joined()) return true;
      return false;
    }
    for (const PermissionRule& rule : policy_.rules) {
      if (rule.kind != Kind::allow || rule.tool != "Bash" || rule.spec.empty() || !rule_covers_words(rule, words)) continue;
      if (names_secret(command, place) || !search_shows_secret(command, operands_of(command), place).empty() ||
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

  // No rule for a program is a rule for keys.
  bool names_secret(const ShellCommand& command, const CommandPlace& place) const {
    return std::any_of(command.words.begin() + 1, command.words.end(), [&](const ShellWord& word) {
      const Words texts = path_candidates(word.text);
      return holds_secrets(place.locate(word), workspace_) ||
             std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
               return text.size() < 4096 && holds_secrets(place.locate(text), workspace_);
             });
    });
  }

  // ---- answers

  Decision in_sandbox() const {
    for (const Step& step : steps_)
      for (const Words& words : step.unwrapped)
        if (std::string needs = needs_more_than_sandbox(words); !needs.empty())
          return Ask{needs + ", which the sandbox does not give; with your yes it runs outside", {}, {}, {}};
    return Allow{"inside the sandbox", false, true};
  }

  Decision question(const std::string& why) const {
    Ask ask{why, {}, {}, {}};
    if (!script_.plain()) return ask;
    for (const ShellCommand* command : uncovered_) {
      const bool within = command->redirects.empty() && looks_outside(*command, {workspace_, workspace_.cwd()}).empty();
      const std::string spec = within ? grantable_prefix(*command) : std::string();
      if (spec.empty()) return Ask{why, {}, {}, {}};
      ask.grants.push_back({Kind::allow, "Bash", spec, "this session"});
    }
    ask.remember = grant_text(ask.grants);
    return ask;
  }

  const PermissionPolicy& policy_;
  std::string_view line_;
  const Workspace& workspace_;
  ShellScript script_;
  PermissionMode mode_ = PermissionMode::ask;
  std::string ignored_, allowed_by_;
  std::vector<Step> steps_;
  std::vector<const ShellCommand*> uncovered_;
};

}  // namespace

Decision decide_command(const PermissionPolicy& policy, std::string_view command, const Workspace& workspace) {
  return Gate(policy, command, workspace).decide();
}

}  // namespace tern
