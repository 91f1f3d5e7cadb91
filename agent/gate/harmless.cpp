#include <algorithm>
#include <cctype>

#include "agent/gate/command_kinds.h"
#include "agent/gate/harmless.h"

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
    {"strings", "an:t:", "bytes"},
    {"base64", "diw:", "decode wrap ignore-garbage"},
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

// Of compilers and their like: what follows is looked into.
constexpr const char* search_options[] = {"-I", "-L", "-isystem", "-iquote", "-idirafter", "-include", "-D", "-Wl,-rpath"};

bool system_path(const fs::path& real) {
  for (const char* prefix : {"/usr", "/bin", "/lib", "/lib64", "/sbin"})
    if (is_under(prefix, real)) return true;
  for (const char* file : {"/etc/os-release", "/etc/debian_version", "/etc/hostname", "/proc/cpuinfo", "/proc/meminfo",
                           "/proc/version", "/proc/loadavg", "/dev/null"})
    if (real == file) return true;
  return false;
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
      const Letters read = read_letters(std::string_view(word).substr(1), looker.shorts);
      // tree reads on behind a letter that takes a value: "-Lo 2 f" writes f.
      const bool glued = looker.name == "tree" && word.size() > 2 && word.find_first_of("LIP") != word.npos;
      if (read == Letters::unknown || glued) return unknown = word, false;
      if (word.find('e') != word.npos && looker.takes == Takes::pattern_then_paths && looker.name != "jq") pattern_given = true;
      if (read == Letters::wants_next && ++i >= command.words.size()) return unknown = word, false;
    }
  }
  return true;
}

// A jq program may read other files: modules and data.
std::string program_reads_files(const std::string& program) {
  for (const std::string_view word : {"import", "include", "modulemeta", "input_filename", "get_search_list"})
    for (std::size_t at = program.find(word); at != program.npos; at = program.find(word, at + 1)) {
      const auto part = [&](std::size_t i) {
        return i < program.size() && (std::isalnum(static_cast<unsigned char>(program[i])) != 0 || program[i] == '_');
      };
      const bool inside = at > 0 && (part(at - 1) || program[at - 1] == '.');
      if (!inside && !part(at + word.size())) return "a jq program with \"" + std::string(word) + "\" may read any file";
    }
  return {};
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
    return std::string(looker.name) + " " + unknown + " isn't on the read-only list";
  if (rest.size() > looker.most || (looker.takes == Takes::nothing && !rest.empty()))
    return std::string(looker.name) + " with these words may do more than read";
  if (looker.name == "jq" && !rest.empty())
    if (std::string why = program_reads_files(rest.front().text); !why.empty()) return why;
  // binutils take a word like "@file" for the words in that file.
  if (looker.name == "strings" &&
      std::any_of(rest.begin(), rest.end(), [](const ShellWord& w) { return !w.text.empty() && w.text[0] == '@'; }))
    return "strings reads its words from a file";
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

// "//pkg:target" of a build system, "// TODO" or "/^x/d" in a text; for everybody else it is a path from the root.
bool is_no_path(const ShellCommand& command, const std::string& text) {
  const std::string_view name = program_name(command.words.front().text);
  const std::size_t begin = text.starts_with("//") ? 2 : 1;
  if (begin == 2 && in_list(name, "bazel bazelisk buck buck2 pants please")) return true;
  const fs::path first = "/" + text.substr(begin, text.find('/', begin) - begin);
  std::error_code error;
  return in_list(name, "git grep egrep fgrep rg sed echo printf") && !fs::exists(first, error);
}

}  // namespace

std::string why_not_readable(const Place& where, const Workspace& workspace) {
  if (!where.error.empty()) return where.error;
  if (holds_secrets(where, workspace)) return where.given + " may hold secrets";
  if (where.inside || system_path(where.real)) return {};
  return where.given + " is outside the workspace";
}

bool all_digits(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

Letters read_letters(std::string_view cluster, std::string_view letters) {
  for (std::size_t k = 0; k < cluster.size(); ++k) {
    const std::size_t at = cluster[k] == ':' || cluster[k] == '?' ? letters.npos : letters.find(cluster[k]);
    if (at == letters.npos) return Letters::unknown;
    const char takes = at + 1 < letters.size() ? letters[at + 1] : ' ';
    if (takes == ':') return k + 1 == cluster.size() ? Letters::wants_next : Letters::complete;
    if (takes == '?') return Letters::complete;  // the rest is its value
  }
  return Letters::complete;
}

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
  if (command.words.empty()) return command.assignments.empty() ? std::string() : "sets a variable";
  const std::string& name = command.words.front().text;
  if (name == "git") return why_not_harmless_git(command, place);
  bool known = false;
  if (std::string why = why_not_harmless_words(command, place, known); known) return why;
  if (name == "env" && command.words.size() == 1) return {};
  if (name == "command" && command.words.size() == 3 && command.words[1].text == "-v") return {};
  if (asks_for_version(command)) return {};
  if (const Looker* looker = find_looker(name)) return check_looker(*looker, command, place);
  return name + " isn't on the read-only list";
}

std::string looks_outside(const ShellCommand& command, const CommandPlace& place) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    for (const std::string& text : path_candidates(word.text)) {
      std::error_code error;
      const bool name = text != ".." && text != "~" && text.find('/') == std::string::npos;
      if (name && (text.size() > 255 || !fs::is_symlink(place.cwd / text, error))) continue;
      if (text.size() > 4096 || (text.starts_with("/") && is_no_path(command, text))) continue;
      const Place where = text == word.text ? place.locate(word) : place.locate(text);
      if (where.error.empty() && !where.inside && !system_path(where.real)) return text + " is outside the workspace";
    }
  }
  return {};
}

std::string writes_system(const ShellCommand& command, const CommandPlace& place) {
  const std::string_view name = program_name(command.words.front().text);
  if (find_looker(name) != nullptr || in_list(name, "find sed diff jq rg")) return {};
  const bool copies = in_list(name, "cp rsync");
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i].text;
    const bool source = copies && word[0] != '-' && i + 1 < command.words.size() && !command.words[i - 1].text.starts_with("-t");
    const bool searched = std::any_of(std::begin(search_options), std::end(search_options), [&](const char* option) {
      return word.starts_with(option) || command.words[i - 1].text == option;
    });
    if (source || searched) continue;
    for (const std::string& text : path_candidates(word))
      if (text.starts_with("/") && text.size() < 4096 && !in_list(text, "/dev/null /dev/stdout /dev/stderr"))
        if (const Place where = place.locate(text); where.error.empty() && !where.inside && system_path(where.real))
          return text + " is a folder or file of the system";
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
