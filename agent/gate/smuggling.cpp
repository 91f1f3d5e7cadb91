// Where the words of a granted program lead elsewhere: to another program, to code, to another machine, to
// another settings file. Nearly all of it is marks in the program's row; what is left here reads values.
#include <algorithm>
#include <cctype>

#include "agent/gate/command_kinds.h"
#include "agent/gate/git_call.h"
#include "agent/gate/programs.h"
#include "compression/text/plain_text.h"

namespace tern {

namespace {

using Words = std::vector<std::string>;

std::string_view name_of(std::string_view word, const char* ends = "=:") {
  return word.substr(0, word.find_first_of(ends));
}

// A long option is also meant by its beginning, a letter also among others ("-rf", "-fFILE"), a word behind
// one dash also behind two.
bool means(std::string_view word, std::string_view mark) {
  const std::string_view given = name_of(word);
  if (mark.front() == '=') return given == mark.substr(1);
  if (given == mark || mark.front() != '-') return given == mark;
  if (mark.starts_with("--")) return given.size() > 3 && word.starts_with("--") && mark.starts_with(given);
  if (mark.size() > 2) return given.starts_with("--") && given.substr(1) == mark;
  return given.size() > 2 && word[0] == '-' && word[1] != '-' && given.find(mark[1], 1) != given.npos;
}

// `next`: the word behind it.
bool is_way_out(std::string_view word, std::string_view next, std::string_view mark, bool reading) {
  if (mark.find('*') != mark.npos)
    return line_matches(mark, word) ||
           (mark.find('+') != mark.npos && line_matches(mark, std::string(word) + "+" + std::string(next)));
  if (mark.front() == '-' && (!reading || word.size() < 2 || word[0] != '-')) return false;
  return means(word, mark);
}

// A word that the row calls fine: alone, with the value behind it, or as the value of what is before it.
bool fine(const Program& program, const Words& words, std::size_t at) {
  const std::string with_value = words[at] + "=" + (at + 1 < words.size() ? words[at + 1] : "");
  return !first_of(program.fine, [&](std::string_view mark) {
            return line_matches(mark, words[at]) || line_matches(mark, with_value) ||
                   line_matches(mark, words[at - 1] + "+" + words[at]);
          }).empty();
}

std::string by_marks(const Program& program, const Words& words) {
  if (words.size() > 1 && in_list(words[1], program.verbs_out)) return words[0] + " " + words[1];
  if (words.size() > 2 && in_list(words[1] + "+" + words[2], program.verbs_out))
    return words[0] + " " + words[1] + " " + words[2];
  const bool git = program.names == "git";  // an option of it may have taken the "--" for its value
  bool reading = true;
  for (std::size_t i = 1; i < words.size(); ++i) {
    reading = reading && (git || words[i] != "--");
    const std::string_view next = i + 1 < words.size() ? words[i + 1] : std::string_view();
    const auto out = [&](std::string_view mark) { return is_way_out(words[i], next, mark, reading); };
    if (!words[i].empty() && !fine(program, words, i) && !first_of(program.ways_out, out).empty())
      return words[0] + " " + words[i];
  }
  return {};
}

template <typename Test>
std::string first_word(const Words& words, Test test) {
  const auto found = std::find_if(words.begin() + 1, words.end(), test);
  return found == words.end() ? std::string() : words.front() + " " + *found;
}

bool ends_with_any(std::string_view name, std::string_view endings) {
  return !first_of(endings, [&](std::string_view ending) { return name.ends_with(ending); }).empty();
}

// An option whose value is the name of a module, or a path to code: "eslint -f ./x.js", "-f=./x.js",
// "--poolOptions.forks.execArgv". However the option is spelt.
std::string loads_module(const Program& program, const Words& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].size() < 2 || words[i][0] != '-') continue;
    const std::size_t equal = words[i].find('=');
    std::string option = lowered(words[i].substr(0, equal));
    std::erase_if(option, [](char c) { return c == '-' || c == '.'; });
    const std::string value = equal != std::string::npos ? words[i].substr(equal + 1)
                              : i + 1 < words.size()     ? words[i + 1]
                                                         : std::string();
    const bool path = value.find_first_of("/{\\=") != value.npos || value.starts_with(".");
    if (path && (in_list(option, program.modules) || ends_with_any(option, "execargv customprovidermodule")))
      return words.front() + " " + words[i];
  }
  return {};
}

// "host:path" and "user@host:path", as ssh, rsync, tar and git read them.
bool names_host(std::string_view word) {
  const std::size_t colon = word.find(':');
  return colon != word.npos && colon > 0 && word[0] != '-' && word.substr(0, colon).find('/') == word.npos;
}

std::string names_far_side(const Words& words) { return first_word(words, names_host); }

// "ext::sh -c x": what is before "::" is a program, "git remote-ext".
bool is_helper_address(std::string_view word) {
  const std::size_t end =
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
  return end != 0 && end != word.npos && word.substr(end, 2) == "::" && !word.starts_with("-");
}

// An address in the place of a remote's name. Behind the remote, "from:to" are branches.
std::string git_elsewhere(const Words& words) {
  const GitCall call = git_call(words);
  if (call.own_settings || !call.folders.empty()) return "git " + words[1];
  const bool remote = words.size() > 2 && in_list(words[1], "fetch pull");
  bool first = true;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (is_helper_address(word) || word.find("://-") != word.npos)
      return "git " + word + " may run a command";
    if (!remote || i < 2 || word.empty() || word[0] == '-') continue;
    const bool address = name_of(word, ":").find_first_of(".@") != word.npos || word.find("://") != word.npos;
    if (names_host(word) && (first || address)) return "git " + word;
    first = false;
  }
  return {};
}

// curl reads and writes more than http: "file:", "scp:".
std::string other_scheme(const Words& words) {
  return first_word(words, [](const std::string& word) {
    const std::size_t scheme = word.find("://");
    const std::string kind = lowered(word.substr(0, scheme));
    return scheme != word.npos && !kind.ends_with("http") && !kind.ends_with("https");
  });
}

// "-Wl,-rpath,x": what the linker is given.
std::string by_linker(const Words& words) {
  return first_word(words, [](std::string_view word) {
    if (!word.starts_with("-Wl,")) return false;
    for (std::size_t begin = 4; begin <= word.size();) {
      const std::size_t end = std::min(word.find(',', begin), word.size());
      const std::string_view part = word.substr(begin, end - begin);
      if (!part.empty() && (part[0] == '-' || part[0] == '@') &&
          !in_list(name_of(part, "="), program_of("gcc")->settings))
        return true;
      begin = end + 1;
    }
    return false;
  });
}

// Flags that a build hands to a compiler, through a shell.
bool harmless_flags(const std::string& flags) {
  if (flags.find_first_of("$`|&<>()\\'\"\n") != std::string::npos) return false;
  Words words{"gcc"};
  for (std::size_t begin = 0; begin < flags.size();) {
    const std::size_t end = std::min(flags.find_first_of(" ;", begin), flags.size());
    if (end > begin) words.push_back(flags.substr(begin, end - begin));
    begin = end + 1;
  }
  return smuggles(words).empty();
}

bool known_compiler(std::string_view program) {
  program = program.substr(0, program.find_last_not_of("0123456789-") + 1);
  return in_list(program, "gcc g++ cc c++ clang clang++ icx icpx ccache sccache distcc");
}

// A setting of CMake's own may be a program or a script; one of the project is only a value.
bool harmless_setting(std::string_view name, const std::string& value) {
  if (in_list(name, program_of("cmake")->settings)) return true;
  if (ends_with_any(name, "_FLAGS _FLAGS_DEBUG _FLAGS_RELEASE _FLAGS_RELWITHDEBINFO _FLAGS_MINSIZEREL"))
    return harmless_flags(value);
  if (ends_with_any(name, "_COMPILER _COMPILER_LAUNCHER")) return known_compiler(value);
  const bool own = name.starts_with("CMAKE_") || name.starts_with("CTEST_") ||
                   ends_with_any(name, "_EXECUTABLE _COMMAND _PROGRAM");
  return !own && value.find_first_of("/\\;$`|&") == std::string::npos;
}

// "cmake --build x -- …": what the build program is given. "-D NAME:TYPE=value" before that.
std::string by_cmake(const Words& words) {
  const auto given = std::find(words.begin() + 1, words.end(), "--");
  for (auto word = words.begin() + 1; word != given; ++word) {
    const bool apart = *word == "-D" && word + 1 != given;
    if (!apart && (!word->starts_with("-D") || word->size() < 3)) continue;
    const std::string setting = apart ? *++word : word->substr(2);
    const std::size_t equal = setting.find('=');
    if (!harmless_setting(name_of(setting), equal == setting.npos ? "" : setting.substr(equal + 1)))
      return words.front() + " -D" + setting;
  }
  std::string why;
  for (const char* program : {"make", "ninja"}) {
    Words inner{program};
    if (given != words.end()) inner.insert(inner.end(), given + 1, words.end());
    if (why.empty()) why = smuggles(inner);
  }
  return why;
}

// "make V=1 CFLAGS=-O2"; any other variable may be what the recipes run, SHELL among them.
std::string by_make_variable(const Words& words) {
  return first_word(words, [](const std::string& word) {
    const std::size_t equal = word.find('=');
    if (equal == word.npos || word[0] == '-') return false;
    const std::string name = word.substr(0, equal), value = word.substr(equal + 1);
    if (in_list(name, "CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LDLIBS")) return !harmless_flags(value);
    const bool plain =
        !value.starts_with("-") && std::all_of(value.begin(), value.end(), [](unsigned char c) {
          return std::isalnum(c) != 0 ||
                 std::string_view("_.,+-:").find(static_cast<char>(c)) != std::string::npos;
        });
    return !plain || !in_list(name, program_of("make")->settings);
  });
}

// clang-tidy hands the words behind "--" to the compiler.
std::string by_tidy(const Words& words) {
  Words inner(std::find(words.begin() + 1, words.end(), "--"), words.end());
  if (inner.empty()) return {};
  inner.front() = "clang";
  return smuggles(inner);
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
std::string by_gh(const Words& words) {
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

struct Smuggler {
  std::string_view programs;
  std::string (*why)(const Words& words);
};
constexpr Smuggler by_value[] = {{"git", git_elsewhere},
                                 {"curl", other_scheme},
                                 {"rsync tar bsdtar", names_far_side},
                                 {"gcc g++ cc c++ clang clang++", by_linker},
                                 {"cmake", by_cmake},
                                 {"make gmake", by_make_variable},
                                 {"clang-tidy", by_tidy},
                                 {"gh", by_gh}};

// "python3 -m pytest" is pytest.
bool runs_module(const Words& words) {
  return words.size() > 2 && program_name(words.front()).starts_with("python") && words[1] == "-m";
}

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

std::string smuggles(const Words& words) {
  if (words.empty()) return {};
  const std::string_view name = program_name(words.front());
  if (runs_module(words)) return smuggles(Words(words.begin() + 2, words.end()));
  if (is_interpreter(name) || has_role(name, role::no_grant | role::only_exact))
    return std::string(name) + " runs or writes what it is given";
  const Program* program = program_of(name);
  if (program == nullptr) return {};
  Words given = words;
  // "tar xfI a ./x": letters in the first place are options without their dash.
  if (in_list(name, "tar bsdtar") && words.size() > 1 && !words[1].empty() && words[1][0] != '-')
    given[1].insert(0, "-");
  std::string why = by_marks(*program, given);
  if (why.empty() && !program->modules.empty()) why = loads_module(*program, given);
  for (const Smuggler& one : by_value)
    if (why.empty() && in_list(name, one.programs)) why = one.why(given);
  return why;
}

bool is_interpreter(std::string_view program) {
  const std::string_view name = program_name(program);
  return has_role(name, role::runs_anything) ||
         has_role(name.substr(0, name.find_last_not_of("0123456789.") + 1), role::runs_anything);
}

std::string why_no_prefix(const Words& prefix) {
  if (prefix.empty()) return "would allow every command";
  const std::string_view name = program_name(prefix.front());
  if (name.find_first_of("*?$`;&|<>(){}") != name.npos) return "names no program";
  if (is_interpreter(name) && !runs_module(prefix)) return std::string(name) + " runs whatever it is given";
  if (has_role(name, role::no_grant)) return std::string(name) + " is destructive";
  if (prefix.size() < 2 && has_role(name, role::needs_verb))
    return std::string(name) + " alone covers too much; add the subcommand";
  return {};
}

std::string grantable_prefix(const ShellCommand& command) {
  if (!command.plain() || command.words.empty() || !command.assignments.empty()) return {};
  Words words = words_of(command);
  if (!smuggles(words).empty()) return {};
  words.resize(grantable_words(program_name(words.front()), words));
  return words.empty() ? std::string() : joined(words) + ":*";
}

}  // namespace tern
