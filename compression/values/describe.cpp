#include "compression/values/describe.h"

#include <algorithm>
#include <array>
#include <optional>

#include "compression/text/lines.h"
#include "compression/text/plain_text.h"
#include "compression/text/utf8.h"
#include "compression/values/tool_kinds.h"

namespace tern {

std::string_view to_string(ResultKind kind) {
  static constexpr std::string_view names[] = {"source", "tests", "search", "listing", "diff",
                                               "commit", "json",  "csv",    "log",     "other"};
  return names[static_cast<int>(kind)];
}

namespace {

constexpr std::size_t subject_bytes = 120, brief_bytes = 160, details_bytes = 300;

// The first command word of a shell line, past `cd x &&` and variables.
std::string_view program_of(std::string_view command) {
  while (true) {
    command = trimmed(command);
    const auto word = command.substr(0, command.find_first_of(" \t;&|"));
    const auto next = command.find("&& ");
    if ((word == "cd" || word == "export" || word == "source") && next != command.npos)
      command.remove_prefix(next + 3);
    else if (contains(word, "=") && word.size() < command.size())
      command.remove_prefix(word.size());
    else
      return word;
  }
}

bool runs_tests(std::string_view command) {
  for (const auto what :
       {"test", "spec", "check", "jest", "phpunit", "mocha", "mvn", "gradle", "tox", "nox"}) {
    if (contains(command, what)) return true;
  }
  return false;
}

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view e) { return text.ends_with(e); });
}

ResultKind kind_of_file(std::string_view path) {
  if (ends_with_any(path, {".json", ".jsonl", ".ipynb"})) return ResultKind::json;
  if (ends_with_any(path, {".csv", ".tsv"})) return ResultKind::csv;
  if (ends_with_any(path, {".log", ".out", ".err"})) return ResultKind::log;
  if (ends_with_any(path, {".diff", ".patch"})) return ResultKind::diff;
  return ResultKind::source;
}

ResultKind kind_of_command(std::string_view command, std::string_view text) {
  const auto program = program_of(command);
  if (text.starts_with("diff --git") || contains(command, "git diff") || contains(command, "git show"))
    return ResultKind::diff;
  if (contains(command, "git commit")) return ResultKind::commit;
  if (program == "grep" || program == "rg" || program == "ag") return ResultKind::search;
  if (program == "ls" || program == "find" || program == "fd" || program == "tree")
    return ResultKind::listing;
  if (runs_tests(command) && !describe_tests(text).empty()) return ResultKind::tests;
  if (program == "cat" || program == "sed" || program == "head" || program == "tail") {
    const auto path = command.substr(std::min(command.find_last_of(" \t") + 1, command.size()));
    if (!language_of(path).empty()) return kind_of_file(path);
  }
  const auto first = text.find_first_not_of(" \t\r\n");
  const bool braces = first != text.npos && (text[first] == '{' || text.substr(first, 2) == "[{");
  return braces ? ResultKind::json : ResultKind::log;
}

// Below a marker, with its header.
std::size_t outline_lines(std::string_view text) {
  text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  if (!text.starts_with("[outline of these lines, ")) return 0;
  std::size_t entries = 0;
  for (const char c : text.substr(text.find(',') + 2)) {
    if (c == ' ') break;
    if (is_digit(c)) entries = entries * 10 + static_cast<std::size_t>(c - '0');
  }
  return entries + 1;
}

// Lines of the original: those shown, and those that a snip marker says are gone.
std::size_t lines_of(const ToolResult& result) {
  const std::string_view text = result.text;
  std::size_t lines = count_newlines(text) + (!text.empty() && text.back() != '\n');
  const auto marker = text.find(" lines snipped (lines ");
  if (result.form != ResultForm::snipped || marker == text.npos) return lines;
  std::size_t start = marker, gone = 0, unit = 1;
  while (start > 0 && (is_digit(text[start - 1]) || text[start - 1] == ',')) --start;
  for (std::size_t i = marker; i > start; --i) {
    if (text[i - 1] != ',') gone += static_cast<std::size_t>(text[i - 1] - '0') * unit, unit *= 10;
  }
  const auto line = text.rfind('\n', marker);
  const bool halves = line != text.npos && text.substr(line + 1).starts_with("... [");  // between blank lines
  return lines + gone - (halves ? 3 : 1) - outline_lines(text.substr(marker));
}

// "exit code 2", "exit status 2", "[exit 2]" near either end of the text.
std::optional<std::string> exit_status(std::string_view text) {
  constexpr std::size_t ends = 300;
  for (const auto part : {text.substr(0, ends), text.substr(text.size() - std::min(ends, text.size()))}) {
    for (const std::string_view word :
         {"exit code ", "exit status ", "Exit code ", "exit code: ", "[exit "}) {
      const auto at = part.find(word);
      if (at == part.npos) continue;
      auto rest = part.substr(at + word.size());
      std::size_t n = 0;
      while (n < rest.size() && is_digit(rest[n])) ++n;
      if (n > 0) return "exit " + std::string(rest.substr(0, n));
    }
  }
  return std::nullopt;
}

std::string details(const ToolResult& result, ResultKind kind) {
  switch (kind) {
    case ResultKind::source: return describe_source(result.text, language_of(result.subject));
    case ResultKind::tests: return describe_tests(result.text);
    case ResultKind::search: return describe_search(result.text);
    case ResultKind::listing: return describe_listing(result.text);
    case ResultKind::diff: return describe_diff(result.text);
    case ResultKind::json: return describe_json(result.text);
    case ResultKind::csv: return describe_csv(result.text);
    case ResultKind::commit:
      return clipped(trimmed(result.text.substr(0, result.text.find('\n'))), brief_bytes);
    case ResultKind::log:
    case ResultKind::other: return describe_log(result.text);
  }
  return {};
}

std::string size_of(const ToolResult& result, ResultKind kind) {
  const std::size_t lines = lines_of(result);
  std::string out = grouped(lines) + (lines == 1 ? " line" : " lines");
  if (kind == ResultKind::source) {
    if (const auto language = language_of(result.subject); !language.empty())
      out.append(" ").append(language);
  } else if (kind == ResultKind::json) {
    out += " JSON";
  } else if (kind == ResultKind::csv) {
    out += " CSV";
  }
  return out;
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return text;
}

std::string head_of(const ToolResult& result) {
  std::string head = result.tool.empty() ? "result" : result.tool;
  if (!result.subject.empty())
    head += " " + clipped(result.subject.substr(0, result.subject.find('\n')), subject_bytes);
  return head;
}

}  // namespace

ResultKind kind_of(const ToolResult& result) {
  if (reads_files(result.tool)) return kind_of_file(result.subject);
  if (searches_files(result.tool)) return ResultKind::search;
  if (lists_files(result.tool)) return ResultKind::listing;
  if (runs_commands(result.tool)) return kind_of_command(result.subject, result.text);
  return ResultKind::other;
}

std::string describe(const ToolResult& result) {
  const ResultKind kind = kind_of(result);
  std::string line = head_of(result) + " \xE2\x80\x94 " + size_of(result, kind);
  const auto status = reads_files(result.tool) ? std::nullopt : exit_status(result.text);
  if (status)
    line += ", " + *status;
  else if (result.is_error)
    line += ", failed";
  if (const auto more = details(result, kind); !more.empty()) line += "; " + clipped(more, details_bytes);
  return one_line(std::move(line));
}

std::string compacted_line(const ToolResult& result, std::string_view note) {
  std::string line =
      "[Compacted: " +
      (note.empty() ? describe(result) : one_line(head_of(result) + " \xE2\x80\x94 " + std::string(note)));
  return result.recall ? line + " \xC2\xB7 " + to_string(result.recall) + "]" : line + "]";
}

}  // namespace tern
