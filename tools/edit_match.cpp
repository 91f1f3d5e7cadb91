#include "tools/edit_match.h"

#include <algorithm>
#include <optional>

#include "tools/args.h"
#include "tools/edit_adapt.h"
#include "tools/encoding.h"
#include "tools/fold.h"

namespace tern {

namespace {

constexpr std::size_t fuzzy_limit = 8u << 20;  // larger files are matched exactly or by line endings only

struct Span {
  std::size_t begin, end;  // in the text
};

struct Matches {
  std::vector<Span> spans;
  std::string ignoring;
};

std::vector<Span> find_all(std::string_view text, std::string_view wanted) {
  std::vector<Span> spans;
  for (std::size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + wanted.size())) {
    spans.push_back({at, at + wanted.size()});
  }
  return spans;
}

std::vector<Span> find_folded(std::string_view text, std::string_view wanted, Fold how) {
  std::string needle = fold(wanted, how);
  if (needle.empty()) return {};
  Folded view(text, how);
  auto spans = find_all(view.text(), needle);
  for (auto& span : spans) {
    std::size_t begin = view.begin_of(span.begin);
    span = {begin, view.end_of(span.end)};
  }
  return spans;
}

// Whole lines that are the same but for the blanks around them, whole paragraph by whole paragraph.
std::vector<Span> find_unindented(std::string_view text, std::string_view wanted) {
  auto have = lines_of(text), want = lines_of(wanted);
  std::vector<std::string> want_folded, have_folded;
  for (const auto& line : want) want_folded.push_back(fold(trimmed(line.body), Fold::typography));
  for (const auto& line : have) have_folded.push_back(fold(trimmed(line.body), Fold::typography));
  if (std::all_of(want_folded.begin(), want_folded.end(), [](const auto& line) { return line.size() < 2; })) return {};
  std::vector<Span> spans;
  for (std::size_t i = 0; i + want.size() <= have.size(); ++i) {
    if (!std::equal(want_folded.begin(), want_folded.end(), have_folded.begin() + static_cast<std::ptrdiff_t>(i))) continue;
    const Line& last = have[i + want.size() - 1];
    auto begin = static_cast<std::size_t>(have[i].body.data() - text.data());
    auto end = static_cast<std::size_t>(last.body.data() + last.body.size() - text.data());
    if (!want.back().ending.empty()) end += last.ending.size();
    spans.push_back({begin, end});
    i += want.size() - 1;
  }
  return spans;
}

Matches find(std::string_view text, std::string_view wanted) {
  // Where "\n" may stand for "\r\n", the view that treats them alike finds the exact matches, too.
  bool endings = wanted.find('\n') != wanted.npos && wanted.find('\r') == wanted.npos && text.find('\r') != text.npos;
  if (auto spans = endings ? std::vector<Span>() : find_all(text, wanted); !spans.empty()) return {std::move(spans), ""};
  if (auto spans = find_folded(text, wanted, Fold::line_endings); !spans.empty()) return {std::move(spans), ""};
  if (text.size() > fuzzy_limit) return {};
  if (auto spans = find_folded(text, wanted, Fold::typography); !spans.empty()) {
    return {std::move(spans), "the style of quotes, dashes and special blanks"};
  }
  if (auto spans = find_folded(text, wanted, Fold::line_ends); !spans.empty()) return {std::move(spans), "blanks at line ends"};
  return {find_unindented(text, wanted), "indentation"};
}

std::size_t line_number(std::string_view text, std::size_t position) {
  char mark = uses_only_cr(text) ? '\r' : '\n';
  return static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), mark)) + 1;
}

std::string number_list(const std::vector<std::size_t>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i == 20) return out + " and " + std::to_string(numbers.size() - i) + " more";
    out += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
  }
  return out;
}

std::string not_found(std::string_view text, const EditRequest& request) {
  std::string error = "String to replace not found in file.\nString: " + shorten(request.old_text, 1000);
  if (looks_numbered(request.old_text)) {
    return error + "\nold_string starts with the line numbers of Read's output: leave them out, they are not in the file.";
  }
  std::string near = nearest_lines(text, request.old_text);
  return error + (near.empty() ? "\nNothing in the file is like it. Read the file again." : "\n" + near);
}

std::string ambiguous(const EditOutcome& outcome, const std::string& ignoring) {
  return "Found " + std::to_string(outcome.lines.size()) + " matches of the string to replace" +
         (ignoring.empty() ? "" : " (ignoring " + ignoring + ")") + ", at lines " + number_list(outcome.lines) +
         ", but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, "
         "please provide more context to uniquely identify the instance.";
}

bool differ_only_in_endings(const EditRequest& request) {
  return request.old_text != request.new_text &&
         fold(request.old_text, Fold::line_endings) == fold(request.new_text, Fold::line_endings);
}

}  // namespace

std::string_view line_ending_near(std::string_view text, std::size_t position) {
  std::size_t end = text.find('\n', position);
  if (end == std::string_view::npos && position > 0) end = text.rfind('\n', position - 1);
  if (end == std::string_view::npos) return text.find('\r') == std::string_view::npos ? "\n" : "\r";
  return end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
}

EditOutcome apply_edit(std::string_view file, const EditRequest& request) { return apply_edit(file, request, detect(file)); }

EditOutcome apply_edit(std::string_view file, const EditRequest& request, const Charset& charset) {
  EditOutcome outcome;
  if (request.old_text == request.new_text) {
    outcome.error = "No changes to make: old_string and new_string are exactly the same.";
    return outcome;
  }
  TextView view(file, charset);
  std::string_view text = view.text();
  Matches found = find(text, request.old_text);
  for (const auto& span : found.spans) outcome.lines.push_back(line_number(text, span.begin));
  if (found.spans.empty()) outcome.error = not_found(text, request);
  if (found.spans.size() > 1 && !request.all) outcome.error = ambiguous(outcome, found.ignoring);
  if (!outcome.error.empty()) return outcome;

  bool literal = differ_only_in_endings(request);
  std::size_t kept = 0;
  for (const auto& span : found.spans) {
    std::string_view raw = text.substr(span.begin, span.end - span.begin);
    std::string fresh =
        literal ? request.new_text : adapt_text(raw, request.old_text, request.new_text, line_ending_near(text, span.begin));
    std::string misfit;
    auto encoded = splice_encoded(raw, file.substr(view.source(span.begin), view.source(span.end) - view.source(span.begin)),
                                  fresh, charset, misfit);
    if (!encoded) {
      outcome.error = "The file is " + std::string(to_string(charset.encoding)) + " text, and new_string contains " +
                      name_character(misfit) +
                      ", which does not exist in it. Nothing was written. Use another character, or ask "
                      "the user whether to convert the file to UTF-8.";
      return outcome;
    }
    outcome.bytes += file.substr(kept, view.source(span.begin) - kept);
    outcome.bytes += *encoded;
    kept = view.source(span.end);
  }
  outcome.bytes += file.substr(kept);
  outcome.ignoring = std::move(found.ignoring);
  return outcome;
}

}  // namespace tern
