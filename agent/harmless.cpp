#include <algorithm>
#include <cctype>

#include "agent/command_kinds.h"
#include "tools/protected_names.h"

namespace tern {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

enum class Takes { nothing, text, paths, pattern_then_paths };

// One program: the options it may have (short ones as for getopt, long ones by name), and what its other words are.
struct Looker {
  std::string_view name, shorts, longs;
  Takes takes = Takes::paths;
  std::size_t most = 1000;  // words that are no options
};

constexpr Looker lookers[] = {
    {"ls", "1aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZw:I:",
     "all almost-all color human-readable recursive reverse sort size time-style directory full-time group-directories-first "
     "classify"},
    {"cat", "AbeEnstTuv", "number show-all show-ends squeeze-blank"},
    {"head", "n:c:qv0123456789", "lines bytes quiet"},
    {"tail", "n:c:qv0123456789", "lines bytes quiet"},
    {"wc", "clmwL", "lines words bytes chars max-line-length"},
    {"stat", "c:fLt", "format printf terse dereference"},
    {"file", "bikLhNprs", "brief mime mime-type"},
    {"du", "abcDhHklLmPsSx0d:", "max-depth human-readable summarize all apparent-size total"},
    {"df", "ahHiklPTt:x:", "human-readable"},
    {"tree", "adfglFCsDhiL:I:P:pvtr", "dirsfirst noreport prune gitignore"},
    {"diff",
     "abBcdeiNqrstTuwyZU:C:", "unified brief recursive ignore-all-space ignore-space-change side-by-side color stat exclude"},
    {"cmp", "bls", "silent quiet"},
    {"comm", "123", ""},
    {"sort", "bdfghiMnrRuVszct:k:", "numeric-sort reverse unique key field-separator human-numeric-sort version-sort"},
    {"uniq", "cdDiuzf:s:w:", "count repeated unique", Takes::paths, 1},
    {"cut", "b:c:d:f:nsz", "delimiter fields characters complement output-delimiter"},
    {"tr", "cCdst", "delete squeeze-repeats complement", Takes::text},
    {"nl", "b:w:s:v:i:n:", ""},
    {"tac", "", ""},
    {"rev", "", ""},
    {"fold", "sw:b", "width"},
    {"column", "ts:nc:", "table separator"},
    {"paste", "d:sz", "delimiters serial"},
    {"od", "A:t:xcabdoN:j:v", ""},
    {"hexdump", "Ccbdxvn:s:", ""},
    {"xxd", "bpc:g:l:s:u", "", Takes::paths, 1},
    {"strings", "an:t:", "bytes"},
    {"md5sum", "btz", "tag"},
    {"sha1sum", "btz", "tag"},
    {"sha256sum", "btz", "tag"},
    {"cksum", "", ""},
    {"realpath", "emLPqsz", "relative-to canonicalize-missing"},
    {"readlink", "efmnqsvz", "canonicalize"},
    {"basename", "as:z", "multiple suffix", Takes::text},
    {"dirname", "z", "", Takes::text},
    {"echo", "neE", "", Takes::text},
    {"printf", "", "", Takes::text},
    {"seq", "ws:f:", "", Takes::text},
    {"sleep", "", "", Takes::text, 1},
    {"pwd", "LP", "", Takes::nothing},
    {"true", "", "", Takes::text},
    {"false", "", "", Takes::text},
    {":", "", "", Takes::text},
    {"exit", "", "", Takes::text, 1},
    {"which", "a", "all", Takes::text},
    {"type", "aptP", "", Takes::text},
    {"uname", "asnrvmpio", "all", Takes::nothing},
    {"whoami", "", "", Takes::nothing},
    {"id", "ugGnr", "", Takes::text, 1},
    {"groups", "", "", Takes::text, 1},
    {"nproc", "", "all", Takes::nothing},
    {"arch", "", "", Takes::nothing},
    {"hostname", "sfiI", "", Takes::nothing},
    {"uptime", "ps", "", Takes::nothing},
    {"free", "bkmghtw", "human mega giga", Takes::nothing},
    {"printenv", "", "", Takes::text},
    {"ps", "aAdefFHjlLTuvwxMo:p:C:U:G:g:s:t:", "forest sort no-headers pid ppid user", Takes::text},
    {"jq", "rcnsSeaMjC", "raw-output compact-output slurp null-input exit-status sort-keys tab raw-input join-output",
     Takes::pattern_then_paths},
    // Not -R, and not -L of rg: a link in the folder may lead to somebody's keys.
    {"grep", "abcEFGHhiIlLnoPqrsTvVwxyzZe:m:A:B:C:0123456789",
     "include exclude exclude-dir recursive ignore-case line-number count files-with-matches files-without-match only-matching "
     "invert-match word-regexp "
     "extended-regexp fixed-strings perl-regexp color colour no-filename with-filename after-context before-context context "
     "max-count regexp quiet text",
     Takes::pattern_then_paths},
    {"egrep", "abcHhiIlLnoqrsvwxe:m:A:B:C:", "include exclude exclude-dir color", Takes::pattern_then_paths},
    {"fgrep", "abcHhiIlLnoqrsvwxe:m:A:B:C:", "include exclude exclude-dir color", Takes::pattern_then_paths},
    {"rg", "acFhHiIlnNoPpqsSuUvwxe:g:t:T:m:M:A:B:C:j:d:r:0.",
     "files files-with-matches files-without-match count count-matches glob iglob type type-not type-list hidden no-ignore "
     "ignore-case smart-case fixed-strings word-regexp "
     "line-number no-line-number no-heading heading color colors context after-context before-context max-count max-depth "
     "max-columns multiline multiline-dotall pcre2 "
     "only-matching invert-match sort sortr stats json vimgrep no-filename with-filename unrestricted trim replace regexp "
     "no-messages column",
     Takes::pattern_then_paths},
};

const Looker* find_looker(std::string_view name) {
  const auto found = std::find_if(std::begin(lookers), std::end(lookers), [&](const Looker& l) { return l.name == name; });
  return found == std::end(lookers) ? nullptr : found;
}

bool system_path(const fs::path& real) {
  for (const char* prefix : {"/usr", "/bin", "/lib", "/lib64", "/sbin"})
    if (is_under(prefix, real)) return true;
  for (const char* file : {"/etc/os-release", "/etc/debian_version", "/etc/hostname", "/proc/cpuinfo", "/proc/meminfo",
                           "/proc/version", "/proc/loadavg", "/dev/null"})
    if (real == file) return true;
  return false;
}

std::string why_not_readable(const Place& where, const Workspace& workspace) {
  if (!where.error.empty()) return where.error;
  if (holds_secrets(where, workspace)) return where.given + " may hold secrets";
  if (where.inside || system_path(where.real)) return {};
  return where.given + " is outside the workspace";
}

bool numeric(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// Splits a call into options and the rest. False at the first option that is not in the table.
bool read_options(const Looker& looker, const ShellCommand& command, std::vector<ShellWord>& rest, bool& pattern_given,
                  std::string& unknown) {
  bool options = true;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i].text;
    if (!options || word.size() < 2 || word[0] != '-') {
      rest.push_back(command.words[i]);
    } else if (word == "--") {
      options = false;
    } else if (word[1] == '-') {
      const std::string name = word.substr(2, word.find('=') - 2);
      if (name == "regexp") pattern_given = true;
      if (!in_list(name, looker.longs)) return unknown = word, false;
    } else {
      for (std::size_t k = 1; k < word.size(); ++k) {
        const std::size_t at = word[k] == ':' ? std::string_view::npos : looker.shorts.find(word[k]);
        if (at == std::string_view::npos) return unknown = word, false;
        if (word[k] == 'e' && looker.takes == Takes::pattern_then_paths && looker.name != "jq") pattern_given = true;
        if (at + 1 >= looker.shorts.size() || looker.shorts[at + 1] != ':') continue;
        if (k + 1 == word.size() && ++i >= command.words.size()) return unknown = word, false;
        break;  // the rest is its value
      }
    }
  }
  return true;
}

// "diff -r" shows what two links lead to; with -q only that it differs.
bool follows_links(const ShellCommand& command) {
  bool recursive = false, quiet = false;
  for (const ShellWord& word : command.words) {
    const bool letters = word.text.size() > 1 && word.text[0] == '-' && word.text[1] != '-';
    recursive = recursive || word.text == "--recursive" || (letters && word.text.find('r') != std::string::npos);
    quiet = quiet || word.text == "--brief" || (letters && word.text.find('q') != std::string::npos);
  }
  return recursive && !quiet;
}

std::string check_looker(const Looker& looker, const ShellCommand& command, const CommandPlace& place) {
  std::vector<ShellWord> rest;
  bool pattern_given = false;
  std::string unknown;
  if (looker.name == "echo" || looker.name == "true" || looker.name == "false" || looker.name == ":") return {};
  if (!read_options(looker, command, rest, pattern_given, unknown))
    return std::string(looker.name) + " " + unknown + " is not known to only look";
  if (rest.size() > looker.most || (looker.takes == Takes::nothing && !rest.empty()))
    return std::string(looker.name) + " with these words may do more than look";
  // "ps e" shows the environment of every process, keys included.
  if (looker.name == "ps" && !std::all_of(rest.begin(), rest.end(), [](const ShellWord& w) {
        return in_list(w.text, "a x ax aux auxf auxw auxww axf axu") || numeric(w.text);
      }))
    return "ps with these words may show more than processes";
  if (looker.name == "diff" && follows_links(command)) return "diff -r follows links, which may lead anywhere";
  if (looker.takes == Takes::text) return {};
  if (looker.takes == Takes::pattern_then_paths && !pattern_given && !rest.empty() &&
      !(looker.name == "rg" && command.joined().find(" --files") != std::string::npos))
    rest.erase(rest.begin());
  for (const ShellWord& word : rest) {
    if (word.text == "-") continue;
    const std::string why = why_not_readable(place.locate(word), place.workspace);
    if (!why.empty()) return why;
  }
  return search_shows_secret(command, rest, place);
}

std::string check_find(const ShellCommand& command, const CommandPlace& place) {
  constexpr std::string_view alone =
      "-not ! -o -a -and -or ( ) , -print -print0 -prune -empty -executable -readable -writable -L -H -P -xdev -mount -depth "
      "-daystart -ls -quit -true -false";
  constexpr std::string_view with_value =
      "-name -iname -path -ipath -wholename -type -xtype -maxdepth -mindepth -size -mtime -mmin -ctime -cmin -atime -amin -regex "
      "-iregex "
      "-regextype -perm -user -group -links -printf -newermt";
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    if (in_list(word.text, alone)) continue;
    if (in_list(word.text, with_value)) {
      if (++i >= command.words.size()) return "find without a value for " + word.text;
      continue;
    }
    if (!word.text.empty() && (word.text[0] == '-' || word.text[0] == '(' || word.text[0] == '!'))
      return "find " + word.text + " is not known to only look";
    const std::string why = why_not_readable(place.locate(word), place.workspace);
    if (!why.empty()) return why;
  }
  return {};
}

bool simple_address(std::string_view& s) {
  if (!s.empty() && s.front() == '$') return s.remove_prefix(1), true;
  if (!s.empty() && s.front() == '/') {
    std::size_t end = 1;
    while (end < s.size() && s[end] != '/') end += s[end] == '\\' ? 2 : 1;
    if (end >= s.size()) return false;
    return s.remove_prefix(end + 1), true;
  }
  std::size_t digits = 0;
  while (digits < s.size() && std::isdigit(static_cast<unsigned char>(s[digits])) != 0) ++digits;
  s.remove_prefix(digits);
  return digits > 0;
}

// "10,20p", "/a/,/b/p", "$p", "5d", "s/a/b/g": prints, deletes lines or replaces text on the way through; nothing else.
bool simple_sed(std::string_view script) {
  if (script.find('\n') != script.npos) return false;
  if (simple_address(script) && !script.empty() && script.front() == ',') {
    script.remove_prefix(1);
    if (!simple_address(script)) return false;
  }
  if (script == "p" || script == "d" || script == "=" || script == "q") return true;
  if (script.size() < 4 || script.front() != 's' || std::isalnum(static_cast<unsigned char>(script[1])) != 0 ||
      script[1] == '\\' || script[1] == ' ')
    return false;
  const char delimiter = script[1];
  std::size_t at = 2;
  for (int part = 0; part < 2; ++part, ++at) {
    while (at < script.size() && script[at] != delimiter) at += script[at] == '\\' ? 2 : 1;
    if (at >= script.size()) return false;
  }
  return script.find_first_not_of("gpiI0123456789", at) == script.npos;
}

std::string check_sed(const ShellCommand& command, const CommandPlace& place) {
  bool script = false;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i].text;
    if (!script && (word == "-n" || word == "-E" || word == "-r" || word == "-nE" || word == "-En" || word == "-ne")) {
      continue;
    } else if (!script) {
      for (std::size_t begin = 0; begin <= word.size();) {
        if (word.empty()) return "sed without a script";
        const std::size_t end =
            word.front() == 's' || word.front() == '/' ? word.size() : std::min(word.find(';', begin), word.size());
        if (!simple_sed(std::string_view(word).substr(begin, end - begin))) return "this sed script may write or run something";
        begin = end + 1;
      }
      script = true;
    } else if (word[0] == '-') {
      return "sed " + word + " is not known to only look";
    } else {
      const std::string why = why_not_readable(place.locate(command.words[i]), place.workspace);
      if (!why.empty()) return why;
    }
  }
  return script ? std::string() : "sed without a script";
}

std::string check_test(const ShellCommand& command, const CommandPlace& place) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i].text;
    // "test -v 'a[$(x)]'" runs x, however it is quoted.
    if (in_list(word, "-v -R")) return "test " + word + " evaluates what it is given";
    if (word.empty() || word[0] == '-' || numeric(word) || in_list(word, "] = == != ! ( )") ||
        word.find('/') == std::string::npos)
      continue;
    const std::string why = why_not_readable(place.locate(command.words[i]), place.workspace);
    if (!why.empty()) return why;
  }
  return {};
}

std::string check_date(const ShellCommand& command) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i].text;
    if (word == "-d" || word == "--date")
      ++i;
    else if (word != "-u" && word != "-R" && word != "-I" && word.rfind("-I", 0) != 0 && word.rfind("--iso-8601", 0) != 0 &&
             word.rfind("--date=", 0) != 0 && word[0] != '+')
      return "date may set the clock";
  }
  return {};
}

}  // namespace

// git has a file of its own.
std::string why_not_harmless_git(const ShellCommand& command, const CommandPlace& place);

Place CommandPlace::locate(const ShellWord& word) const {
  if (word.tilde) return workspace.locate(word.text == "~" ? "~/" : word.text);
  // Quoted, a "~" is a name like any other.
  return locate(!word.text.empty() && word.text[0] == '~' ? "./" + word.text : word.text);
}

Place CommandPlace::locate(std::string_view text) const {
  if (text == "~") return workspace.locate("~/");
  if (!text.empty() && (text[0] == '/' || text.substr(0, 2) == "~/")) return workspace.locate(text);
  Place where = workspace.locate((cwd / fs::path(std::string(text))).lexically_normal().string());
  where.given = std::string(text);
  return where;
}

std::string why_not_harmless(const ShellCommand& command, const CommandPlace& place) {
  if (command.words.empty()) return command.assignments.empty() ? std::string() : "it sets a variable";
  const std::string& name = command.words.front().text;
  if (name == "git") return why_not_harmless_git(command, place);
  if (name == "find") return check_find(command, place);
  if (name == "sed") return check_sed(command, place);
  if (name == "test" || name == "[") return check_test(command, place);
  if (name == "date") return check_date(command);
  if (name == "env" && command.words.size() == 1) return {};
  if (name == "command" && command.words.size() == 3 && command.words[1].text == "-v") return {};
  if (command.words.size() == 2 && in_list(command.words[1].text, "--version -version -V") &&
      in_list(name,
              "gcc g++ cc c++ clang clang++ clang-format cmake ctest make ninja python python3 node java javac ruby perl php "
              "bash gdb valgrind docker"))
    return {};
  if (const Looker* looker = find_looker(name)) return check_looker(*looker, command, place);
  return name + " is not one of the commands known to only look";
}

std::string looks_outside(const ShellCommand& command, const CommandPlace& place) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    for (const std::string& text : path_candidates(word.text)) {
      if (text != ".." && text != "~" && text.find('/') == std::string::npos) continue;
      if (text.substr(0, 2) == "//" || text.size() > 4096) continue;  // a label of a build system; a text
      const Place where = text == word.text ? place.locate(word) : place.locate(text);
      if (where.error.empty() && !where.inside && !system_path(where.real)) return text + " is outside the workspace";
    }
  }
  return {};
}

bool in_list(std::string_view word, std::string_view list) {
  if (word.empty() || word.find(' ') != word.npos) return false;
  for (std::size_t at = list.find(word); at != list.npos; at = list.find(word, at + 1)) {
    const bool begins = at == 0 || list[at - 1] == ' ', ends = at + word.size() == list.size() || list[at + word.size()] == ' ';
    if (begins && ends) return true;
  }
  return false;
}

std::string_view program_name(std::string_view word) { return word.substr(word.find_last_of('/') + 1); }

}  // namespace tern
