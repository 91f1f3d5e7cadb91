#include <algorithm>

#include "agent/gate/command_kinds.h"
#include "agent/gate/harmless.h"
#include "agent/gate/programs.h"
#include "agent/gate/smuggling.h"

namespace tern {

namespace {

using Words = std::vector<std::string>;

bool same_option(std::string_view word, std::string_view option) {
  const std::string_view given = word.substr(0, word.find('='));
  if (given == option) return true;
  if (option.substr(0, 2) == "--")
    return given.size() > 3 && given.substr(0, 2) == "--" && option.substr(0, given.size()) == given;
  // "-fFILE", "-rf": a short one with its value behind it, or among others.
  return option.size() == 2 && given.size() > 2 && given[1] != '-' &&
         given.find(option[1], 1) != given.npos && word[0] == '-';
}

// "ext::sh -c x": what stands before "::" is a program, "git remote-ext".
bool is_helper_address(std::string_view word) {
  const std::size_t end =
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
  return end != 0 && end != word.npos && word.substr(end, 2) == "::" && !word.starts_with("-");
}

std::string smuggles_git(const Words& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (is_helper_address(word) || word.find("://-") != std::string::npos)
      return "a git address that runs a command";
    if (word.rfind("-O", 0) == 0 || word == "-x" || word.rfind("--ex", 0) == 0) return "git " + word;
  }
  if (words.size() > 2 && words[1] == "bisect" && words[2] == "run") return "git bisect run";
  if (words.size() > 2 && words[1] == "submodule" && words[2] != "status") return "git submodule";
  if (words.size() > 1 && in_list(words[1],
                                  "config filter-branch difftool mergetool daemon shell hook send-email "
                                  "credential p4 svn instaweb archive remote-ext"))
    return "git " + words[1];
  return {};
}

// Options of git that stand after the sub-command and happen to look like its global ones.
bool harmless_git_option(const Words& words, std::size_t at) {
  const bool after_verb = std::any_of(words.begin() + 1, words.begin() + static_cast<std::ptrdiff_t>(at),
                                      [](const std::string& w) { return !w.empty() && w[0] != '-'; });
  return after_verb && words[at].size() > 1 && words[at][1] != '-';
}

// One that looks like a way out and leads nowhere, by what it is given.
bool harmless_option(std::string_view name, const Words& words, std::size_t at) {
  const std::string next = at + 1 < words.size() ? words[at + 1] : std::string();
  if (name == "git") return harmless_git_option(words, at);
  if (name == "ninja")
    return words[at] == "-t" && in_list(next, "targets query commands deps graph inputs missingdeps rules");
  if (name == "pytest" || name == "py.test") return words[at] == "--co";
  if (name != "curl") return false;
  return (in_list(words[at], "-X --request") && in_list(next, "GET HEAD OPTIONS")) ||
         (in_list(words[at], "-o -so -sSo --output") && in_list(next, "/dev/null -"));
}

// A category of warnings by its full name is imported.
bool smuggles_pytest(const Words& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool warning =
        words[i].starts_with("-W") || words[i].starts_with("--pythonw") || (i > 1 && words[i - 1] == "-W");
    if (words[i].starts_with("@") || (warning && words[i].find('.') != std::string::npos)) return true;
  }
  return false;
}

// "cmake --build x -- …": what the build program is given.
std::string smuggles_cmake(const Words& words) {
  for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i)
    for (const char* mode : {"-P", "-E", "-C"})
      if (words[i].starts_with(mode)) return words[i];
  const auto given = std::find(words.begin() + 1, words.end(), "--");
  if (given == words.end()) return {};
  for (const char* program : {"make", "ninja"}) {
    Words inner{program};
    inner.insert(inner.end(), given + 1, words.end());
    if (std::string why = smuggles(inner); !why.empty()) return why;
  }
  return {};
}

std::string smuggles_sed(const Words& words) {
  static const Workspace nowhere{std::filesystem::path("/")};
  return why_not_harmless(command_of(words), CommandPlace{nowhere, "/"});
}

bool gives(const std::string& word, std::string_view option) {
  const bool one_dash = option.size() > 2 && option[1] != '-';  // "-exec": whole words only
  const std::string_view given = std::string_view(word).substr(0, word.find('='));
  return one_dash ? given == option || given.substr(1) == option : same_option(word, option);
}

std::string smuggling_option(const Program& program, std::string_view name, const Words& words) {
  // An option of git may have taken the "--" for its value.
  for (std::size_t i = 1; i < words.size() && (words[i] != "--" || name == "git"); ++i) {
    if (words[i].size() < 2 || words[i][0] != '-' || harmless_option(name, words, i)) continue;
    if (!first_of(program.ways_out, [&](std::string_view option) { return gives(words[i], option); }).empty())
      return std::string(name) + " " + words[i];
  }
  return {};
}

constexpr std::string_view gh_fields = "-F -f --field --raw-field", gh_methods = "-X --method";

// An option of "gh api" with which it still only reads; "name=@file" would send a file.
bool gh_reads(const std::string& option, const std::string& value) {
  if (in_list(option, gh_fields)) return value.find("=@") == value.npos;
  if (in_list(option, gh_methods)) return in_list(value, "GET HEAD");
  if (in_list(option, "-H --header")) return value.starts_with("Accept:");
  return in_list(option, "-q --jq -t --template --cache -p --preview");
}

// "gh api" reads unless it is given another method, or fields without one.
std::string smuggles_gh(const Words& words) {
  if (words.size() < 2 || words[1] != "api") return {};
  bool gets = false, gives = false;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-') || in_list(word, "-i --include --paginate --slurp --silent --verbose"))
      continue;
    const std::size_t equal = word.starts_with("--") ? word.find('=') : word.npos;
    const std::string option = word.substr(0, equal);
    const bool apart = equal == word.npos && i + 1 < words.size();
    const std::string value = apart ? words[++i] : word.substr(std::min(equal, word.size() - 1) + 1);
    if (!gh_reads(option, value)) return "gh api " + word;
    gets = gets || in_list(option, gh_methods);
    gives = gives || in_list(option, gh_fields);
  }
  return gives && !gets ? "gh api with fields writes" : "";
}

std::string smuggles_npm(const Words& words) {
  if (words.size() > 1 && in_list(words[1], "exec x dlx create init config set"))
    return std::string(program_name(words.front())) + " " + words[1];
  // npm has a script of this name by itself, and it runs what stands behind it.
  const bool npm = program_name(words.front()) == "npm";
  return npm && std::find(words.begin() + 1, words.end(), "env") != words.end() ? "npm run env" : "";
}

// ";" begins another command of tmux, "#(x)" runs x.
std::string smuggles_tmux(const Words& words) {
  const bool more = std::any_of(words.begin() + 1, words.end(), [](const std::string& word) {
    return word.ends_with(';') || word.find("#(") != word.npos;
  });
  return more ? "tmux with a second command" : "";
}

std::string smuggles_output(const Words& words) {
  const auto files =
      std::count_if(words.begin() + 1, words.end(), [](const auto& w) { return !w.empty() && w[0] != '-'; });
  return files > 1 ? std::string(program_name(words.front())) + " with an output file" : "";
}

std::string smuggles_by_compiler(const Words& words) {
  const auto found = std::find_if(words.begin() + 1, words.end(), smuggles_compiler);
  return found == words.end() ? "" : std::string(program_name(words.front())) + " " + *found;
}

std::string smuggles_jq(const Words& words) {
  for (const std::string& word : words)
    if (std::string why = program_reads_files(word); !why.empty()) return why;
  return {};
}

std::string smuggles_tests(const Words& words) {
  return smuggles_pytest(words) ? "pytest with words that load code" : "";
}

std::string smuggles_by_cmake(const Words& words) {
  const std::string why = smuggles_cmake(words);
  return why.empty() ? why : "cmake, " + why;
}

constexpr Smuggler own_ways[] = {{"git", smuggles_git},
                                 {"sed", smuggles_sed},
                                 {"npm pnpm yarn bun", smuggles_npm},
                                 {"gh", smuggles_gh},
                                 {"tmux", smuggles_tmux},
                                 {"uniq xxd", smuggles_output},
                                 {"gcc g++ cc c++ clang clang++", smuggles_by_compiler},
                                 {"jq", smuggles_jq},
                                 {"pytest py.test tox", smuggles_tests},
                                 {"cmake", smuggles_by_cmake}};

}  // namespace

std::string smuggles(const Words& words) {
  if (words.empty()) return {};
  const std::string_view name = program_name(words.front());
  // "tar xfI a ./x": letters in the first place are options without their dash.
  if (in_list(name, "tar bsdtar") && words.size() > 1 && !words[1].empty() && words[1][0] != '-') {
    Words dashed = words;
    dashed[1].insert(0, "-");
    return smuggles(dashed);
  }
  if (has_role(name, role::runs_anything | role::no_grant | role::only_exact))
    return std::string(name) + " runs or writes what it is given";
  const Program* program = program_of(name);
  std::string found = program != nullptr ? smuggling_option(*program, name, words) : std::string();
  if (found.empty() && program != nullptr) found = loads_code(*program, words);
  for (const std::span<const Smuggler> list : {std::span<const Smuggler>(own_ways), tool_smugglers()})
    for (const Smuggler& one : list)
      if (found.empty() && in_list(name, one.programs)) found = one.why(words);
  if (!found.empty()) return found;
  // "python3 -m pytest …" is pytest.
  if (words.size() > 3 && name.starts_with("python") && words[1] == "-m")
    return smuggles(Words(words.begin() + 2, words.end()));
  return {};
}

bool is_interpreter(std::string_view program) {
  const std::string_view name = program_name(program);
  if (has_role(name, role::runs_anything)) return true;
  for (const char* family : {"python", "perl", "ruby", "lua"})
    if (name.rfind(family, 0) == 0) return true;
  return false;
}

std::string why_no_prefix(const Words& prefix) {
  if (prefix.empty()) return "would allow every command";
  const std::string_view name = program_name(prefix.front());
  if (name.find_first_of("*?$`;&|<>(){}") != name.npos) return "names no program";
  const bool module = prefix.size() >= 3 && name.rfind("python", 0) == 0 && prefix[1] == "-m";
  if (is_interpreter(name) && !module) return std::string(name) + " runs whatever it is given";
  if (has_role(name, role::no_grant)) return std::string(name) + " is destructive";
  if (prefix.size() < 2 && has_role(name, role::needs_verb))
    return std::string(name) + " alone covers too much; add the subcommand";
  return {};
}

namespace {

// How many words the grant of this command would have; 0: none is offered. "run+*" of a row: two words, the
// second any that is no option.
std::size_t grantable_words(std::string_view name, const Words& words) {
  const Program* program = program_of(name);
  if (program == nullptr || !program->grants) return 0;
  if (program->grants->empty()) return 1;
  const auto word = [&](std::size_t at) {
    return at < words.size() && !words[at].starts_with('-') ? words[at] : std::string();
  };
  if (word(1).empty()) return 0;
  if (!word(2).empty() &&
      (in_list(word(1) + "+" + word(2), *program->grants) || in_list(word(1) + "+*", *program->grants)))
    return 3;
  return *program->grants == "*" || in_list(word(1), *program->grants) ? 2 : 0;
}

}  // namespace

std::string grantable_prefix(const ShellCommand& command) {
  if (!command.plain() || command.words.empty() || !command.assignments.empty()) return {};
  Words words = words_of(command);
  if (!smuggles(words).empty()) return {};
  words.resize(grantable_words(program_name(words.front()), words));
  return words.empty() ? std::string() : joined(words) + ":*";
}

}  // namespace tern
