#include <algorithm>
#include <cctype>

#include "agent/gate/command_kinds.h"
#include "agent/gate/programs.h"
#include "agent/gate/smuggling.h"
#include "compression/text/plain_text.h"

namespace tern {

namespace {

using Words = std::vector<std::string>;

// One matches as it is (with one dash more, too) and before "=" or ":", one with "*" also what begins so, and
// a long one when it is shortened.
bool matches(std::string_view word, std::string_view option, bool shortened) {
  if (option.back() == '*') return word.starts_with(option.substr(0, option.size() - 1));
  const std::string_view given = word.substr(0, word.find_first_of("=:"));
  if (given == option || (given.starts_with("--") && given.substr(1) == option)) return true;
  return shortened && option.starts_with("--") && given.size() > 4 && option.starts_with(given) &&
         word.starts_with("--");
}

template <typename Test>
std::string first_word(const Words& words, Test test) {
  const auto found = std::find_if(words.begin() + 1, words.end(), test);
  return found == words.end() ? std::string() : words.front() + " " + *found;
}

std::string loads(const Program& program, std::string_view name, const Words& words) {
  const bool shortens = !in_list(name, "pytest py.test go");
  std::string why;
  first_of(program.loads, [&](std::string_view option) {
    why = first_word(
        words, [&](const std::string& word) { return !word.empty() && matches(word, option, shortens); });
    return !why.empty();
  });
  return why;
}

bool ends_with_any(std::string_view name, std::string_view endings) {
  return !first_of(endings, [&](std::string_view ending) { return name.ends_with(ending); }).empty();
}

// An option whose value is the name of a module, or a path to code: "eslint -f ./x.js". However the option is
// spelt.
std::string loads_module(const Program& program, const Words& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].size() < 2 || words[i][0] != '-') continue;
    const std::size_t equal = words[i].find('=');
    std::string option = lowered(words[i].substr(0, equal));
    std::erase_if(option, [](char c) { return c == '-' || c == '.'; });
    const std::string value = equal != std::string::npos ? words[i].substr(equal + 1)
                              : i + 1 < words.size()     ? words[i + 1]
                                                         : "";
    const bool path = value.find_first_of("/{\\") != std::string::npos || value.starts_with(".") ||
                      value.find('=') != value.npos;
    const bool nested =
        ends_with_any(option, "execargv customprovidermodule");  // "--poolOptions.forks.execArgv"
    if ((in_list(option, program.modules) || nested) && path) return words.front() + " " + words[i];
  }
  return {};
}

bool known_compiler(std::string_view program) {
  while (!program.empty() &&
         (std::isdigit(static_cast<unsigned char>(program.back())) != 0 || program.back() == '-'))
    program.remove_suffix(1);
  return in_list(program, "gcc g++ cc c++ clang clang++ icx icpx ccache sccache distcc");
}

bool harmless_flags(const std::string& flags) {
  if (flags.find_first_of("$`|&<>()\\'\"\n") != std::string::npos)
    return false;  // a build gives them to a shell
  Words words{"gcc"};
  for (std::size_t begin = 0; begin < flags.size();) {
    const std::size_t end = std::min(flags.find_first_of(" ;", begin), flags.size());
    if (end > begin) words.push_back(flags.substr(begin, end - begin));
    begin = end + 1;
  }
  return smuggles(words).empty();
}

// "NAME:TYPE=value". A setting of CMake's own may be a program or a script; one of the project is only a
// value.
bool harmless_setting(const std::string& setting) {
  const std::size_t equal = setting.find('=');
  const std::string name = setting.substr(0, std::min(equal, setting.find(':')));
  const std::string value = equal == std::string::npos ? "" : setting.substr(equal + 1);
  if (in_list(name, program_of("cmake")->settings)) return true;
  if (ends_with_any(name, "_FLAGS _FLAGS_DEBUG _FLAGS_RELEASE _FLAGS_RELWITHDEBINFO _FLAGS_MINSIZEREL"))
    return harmless_flags(value);
  if (ends_with_any(name, "_COMPILER _COMPILER_LAUNCHER")) return known_compiler(value);
  if (name.starts_with("CMAKE_") || name.starts_with("CTEST_") ||
      ends_with_any(name, "_EXECUTABLE _COMMAND _PROGRAM"))
    return false;
  return value.find_first_of("/\\;$`|&") == std::string::npos;
}

bool plain_value(std::string_view value) {
  return !value.starts_with("-") && std::all_of(value.begin(), value.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_.,+-:").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// "make V=1 CFLAGS=-O2"; any other variable may be what the recipes run, SHELL among them.
std::string smuggles_variable(const Words& words) {
  return first_word(words, [](const std::string& word) {
    const std::size_t equal = word.find('=');
    if (equal == word.npos || word[0] == '-') return false;
    const std::string name = word.substr(0, equal), value = word.substr(equal + 1);
    if (in_list(name, "CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LDLIBS")) return !harmless_flags(value);
    return !in_list(name, program_of("make")->settings) ||

           !plain_value(value);
  });
}

std::string smuggles_setting(const Words& words) {
  for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    const bool apart = words[i] == "-D" && i + 1 < words.size();
    if (!apart && (!words[i].starts_with("-D") || words[i].size() < 3)) continue;
    const std::string setting = apart ? words[++i] : words[i].substr(2);
    if (!harmless_setting(setting)) return words.front() + " -D" + setting;
  }
  return {};
}

// A goal is a phase of the project's own build; one with ":" is any plugin. A property may be a program.
std::string smuggles_maven(const Words& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool file = word.starts_with("-f") && !in_list(word, "-fae -ff -fn");
    const bool property =
        word.starts_with("-D") && !in_list(word.substr(2, word.find('=') - 2), program_of("mvn")->settings);
    const bool module = i > 1 && in_list(words[i - 1], "-pl --projects -rf --resume-from");
    if (file || property || word.starts_with("--define")) return words.front() + " " + word;
    if (word[0] != '-' && !module &&
        (word.find(':') != std::string::npos || word.starts_with("deploy") || word == "site-deploy"))
      return words.front() + " " + word;
  }
  return {};
}

// "meson -Dc_args=…": flags of a compiler.
std::string smuggles_meson(const Words& words) {
  return first_word(words, [](const std::string& word) {
    const std::size_t equal = word.find("_args=");
    return word.starts_with("-D") && equal != word.npos && !harmless_flags(word.substr(equal + 6));
  });
}

// clang-tidy passes the words behind "--" to the compiler.
std::string smuggles_tidy(const Words& words) {
  Words inner(std::find(words.begin() + 1, words.end(), "--"), words.end());
  if (inner.empty()) return {};
  inner.front() = "clang";
  return smuggles(inner);
}

// "host:path" and "user@host:path", as ssh, rsync, tar and git read them.
bool names_host(std::string_view word) {
  const std::size_t colon = word.find(':');
  return colon != word.npos && colon > 0 && word[0] != '-' && word.substr(0, colon).find('/') == word.npos;
}

// The far side of a copy, an archive on another machine.
std::string smuggles_far_side(const Words& words) { return first_word(words, names_host); }

// An address in the place of a remote's name. What follows the remote is "from:to" between branches.
std::string smuggles_remote(const Words& words) {
  if (words.size() < 3 || !in_list(words[1], "fetch pull")) return {};
  bool first = true;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (words[i].empty() || words[i][0] == '-') continue;
    const std::string_view before = std::string_view(words[i]).substr(0, words[i].find(':'));
    if (names_host(words[i]) &&
        (first || before.find_first_of(".@") != before.npos || words[i].find("://") != std::string::npos))
      return "git " + words[i];
    first = false;
  }
  return {};
}

// curl reads and writes more than http: "file:", "scp:".
std::string smuggles_curl(const Words& words) {
  return first_word(words, [](const std::string& word) {
    if (word.find("%output") != word.npos || (word.starts_with("@") && word.size() > 1)) return true;
    const std::size_t scheme = word.find("://");
    const std::string kind = lowered(word.substr(0, scheme));
    return scheme != word.npos && !kind.ends_with("http") && !kind.ends_with("https");
  });
}

// Where code comes from: another index, an address, a repository.
std::string smuggles_address(const Words& words) {
  return first_word(words, [](const std::string& word) {
    return word.find("://") != word.npos || word.starts_with("git@") || word.starts_with("git+");
  });
}

constexpr Smuggler ways[] = {{"cmake", smuggles_setting},
                             {"make gmake", smuggles_variable},
                             {"mvn mvnw mvnd", smuggles_maven},
                             {"meson", smuggles_meson},
                             {"clang-tidy", smuggles_tidy},
                             {"rsync tar bsdtar", smuggles_far_side},
                             {"git", smuggles_remote},
                             {"curl", smuggles_curl},
                             {"pip pip3 uv poetry docker podman", smuggles_address}};

}  // namespace

bool smuggles_compiler(std::string_view word) {
  const auto harmless_linker_word = [](std::string_view part) {
    return part.empty() || (part[0] != '-' && part[0] != '@') ||
           in_list(part.substr(0, part.find('=')), program_of("gcc")->settings);
  };
  for (const char* begin :
       {"@", "-Wa,", "-Wp,", "-T", "-B", "-fmodule-mapper", "--prefix", "-ccc-", "--gcc-toolchain",
        "--gcc-install-dir", "--for-linker", "--for-assembler", "-iplugindir", "-cc1"})
    if (word.starts_with(begin)) return true;
  if (word.starts_with("-fuse-ld=")) return word.find('/') != word.npos;
  if (!word.starts_with("-Wl,")) return false;
  for (std::size_t begin = 4; begin <= word.size();) {
    const std::size_t end = std::min(word.find(',', begin), word.size());
    if (!harmless_linker_word(word.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

std::span<const Smuggler> tool_smugglers() { return ways; }

std::string loads_code(const Program& program, const Words& words) {
  const std::string why = loads(program, program_name(words.front()), words);
  return why.empty() && !program.modules.empty() ? loads_module(program, words) : why;
}

}  // namespace tern
