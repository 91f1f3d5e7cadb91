#include <algorithm>
#include <cctype>

#include "agent/gate/command_kinds.h"
#include "agent/gate/programs.h"

namespace tern {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// Of compilers and their like: what follows is looked into.
constexpr const char* search_options[] = {"-I",         "-L",       "-isystem", "-iquote",
                                          "-idirafter", "-include", "-D",       "-Wl,-rpath"};

bool system_path(const fs::path& real) {
  for (const char* prefix : {"/usr", "/bin", "/lib", "/lib64", "/sbin"})
    if (is_under(prefix, real)) return true;
  for (const char* file : {"/etc/os-release", "/etc/debian_version", "/etc/hostname", "/proc/cpuinfo",
                           "/proc/meminfo", "/proc/version", "/proc/loadavg", "/dev/null"})
    if (real == file) return true;
  return false;
}

// What single programs do with words that are no options.
std::string why_not_own_way(const std::string& name, const ShellCommand& command,
                            const std::vector<ShellWord>& rest) {
  if (name == "jq" && !rest.empty()) return program_reads_files(rest.front().text);
  // binutils take a word like "@file" for the words in that file.
  if (name == "strings" && std::any_of(rest.begin(), rest.end(), [](const ShellWord& w) {
        return !w.text.empty() && w.text[0] == '@';
      }))
    return "strings reads its words from a file";
  // With -q only that they differ.
  const CallWords words = words_of(command);
  const bool recursive = has_letter(words, "r") || has_word(words, "--recursive"),
             quiet = has_letter(words, "q") || has_word(words, "--brief");
  if (name == "diff" && recursive && !quiet) return "diff -r follows links, which may lead anywhere";
  return {};
}

std::string check_looks(const Program& program, const ShellCommand& command, const CommandPlace& place) {
  const Looks& looks = *program.looks;
  const std::string& name = command.words.front().text;
  if (looks.takes == Operands::anything) return {};
  auto [options, rest, unknown] = read_call(command.words, looks.shorts, looks.longs, program);
  // tree reads on behind a letter that takes a value: "-Lo 2 f" writes f.
  for (const std::string& word : options)
    if (name == "tree" && word[1] != '-' && word.size() > 2 && word.find_first_of("LIP") != word.npos)
      unknown = word;
  if (!unknown.empty()) return name + " " + unknown + " isn't on the read-only list";
  if (rest.size() > looks.most || (looks.takes == Operands::nothing && !rest.empty()))
    return name + " with these arguments may do more than read";
  if (std::string why = why_not_own_way(name, command, rest); !why.empty()) return why;
  if (looks.takes == Operands::text) return {};
  const bool without_pattern = name == "jq" ? false
                               : name == "rg"
                                   ? has_option(options, "--files --regexp") || has_letter(options, "e")
                                   : has_option(options, "--regexp") || has_letter(options, "e");
  if (looks.takes == Operands::pattern_then_paths && !without_pattern && !rest.empty())
    rest.erase(rest.begin());
  for (const ShellWord& word : rest) {
    if (word.text == "-") continue;
    const std::string why = why_not_readable(place.locate(word), place.workspace);
    if (!why.empty()) return why;
  }
  return search_shows_secret(command, rest, place);
}

// "//pkg:target" of a build system, "// TODO" or "/^x/d" in a text; for everybody else it is a path from the
// root.
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

std::string program_reads_files(const std::string& program) {
  for (const std::string_view word : {"import", "include", "modulemeta", "input_filename", "get_search_list"})
    for (std::size_t at = program.find(word); at != program.npos; at = program.find(word, at + 1)) {
      const auto part = [&](std::size_t i) {
        return i < program.size() &&
               (std::isalnum(static_cast<unsigned char>(program[i])) != 0 || program[i] == '_');
      };
      const bool inside = at > 0 && (part(at - 1) || program[at - 1] == '.');
      if (!inside && !part(at + word.size()))
        return "a jq program with \"" + std::string(word) + "\" may read any file";
    }
  return {};
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

ReadCall read_call(const std::vector<ShellWord>& words, std::string_view shorts, std::string_view longs,
                   const Program& program) {
  ReadCall call;
  bool reading = true;
  for (std::size_t i = 1; i < words.size() && call.unknown.empty(); ++i) {
    const std::string& word = words[i].text;
    const bool path = in_list(word, program.valued_paths), valued = path || in_list(word, program.valued);
    const bool option = word.size() > 1 && word[0] == '-';
    if (valued) {
      if (path && i + 1 < words.size()) call.rest.push_back(words[i + 1]);
      if (++i >= words.size()) call.unknown = word;
    } else if (!first_of(program.alone, [&](auto one) { return line_matches(one, word); }).empty()) {
      call.options.push_back(word);
    } else if (option && !reading && program.strict) {
      call.unknown = word;
    } else if (!reading || !option) {
      call.rest.push_back(words[i]);
    } else if (word[1] == '-') {
      reading = word.size() > 2;
      if (reading && !in_list(word.substr(2, word.find('=') - 2), longs)) call.unknown = word;
      call.options.push_back(word);
    } else {
      const Letters read = read_letters(std::string_view(word).substr(1), shorts);
      const bool next = read == Letters::wants_next;
      if (next && ++i < words.size() && program.strict && words[i].text.starts_with('-'))
        call.unknown = words[i].text;
      if (read == Letters::unknown || (next && i >= words.size())) call.unknown = word;
      call.options.push_back(word);
    }
  }
  return call;
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
  if (const Program* program = program_of(name); program != nullptr && program->looks)
    return check_looks(*program, command, place);
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
      if (where.error.empty() && !where.inside && !system_path(where.real))
        return text + " is outside the workspace";
    }
  }
  return {};
}

std::string writes_system(const ShellCommand& command, const CommandPlace& place) {
  const std::string_view name = program_name(command.words.front().text);
  const Program* program = program_of(name);
  if ((program != nullptr && program->looks) || name == "sed") return {};
  const bool copies = in_list(name, "cp rsync");
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i].text;
    const bool source = copies && word[0] != '-' && i + 1 < command.words.size() &&
                        !command.words[i - 1].text.starts_with("-t");
    const bool searched = std::any_of(
        std::begin(search_options), std::end(search_options),
        [&](const char* option) { return word.starts_with(option) || command.words[i - 1].text == option; });
    if (source || searched) continue;
    for (const std::string& text : path_candidates(word))
      if (text.starts_with("/") && text.size() < 4096 && !in_list(text, "/dev/null /dev/stdout /dev/stderr"))
        if (const Place where = place.locate(text);
            where.error.empty() && !where.inside && system_path(where.real))
          return text + " is a folder or file of the system";
  }
  return {};
}

}  // namespace tern
