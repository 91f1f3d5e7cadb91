#include "tools/files/edit_match.h"

#include <algorithm>
#include <optional>

#include "tools/files/edit_adapt.h"
#include "tools/files/encoding.h"
#include "tools/files/fold.h"
#include "tools/files/indent_unit.h"
#include "tools/set/args.h"

namespace tern {

namespace {

constexpr const char* no_last_ending = "that the last line has no line ending";
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
  for (std::size_t at = text.find(wanted); at != std::string_view::npos;
       at = text.find(wanted, at + wanted.size())) {
    spans.push_back({at, at + wanted.size()});
  }
  return spans;
}

std::vector<Span> find_folded(std::string_view text, std::string_view wanted, Fold how) {
  std::string needle = fold(wanted, how);
  if (needle.empty()) return {};
  Folded view(text, how);
  auto spans = find_all(view.text(), needle);
  if (how == Fold::line_ends && needle.size() < fold(wanted, Fold::typography).size() &&
      needle.back() != '\n') {
    // Blanks that ended the wanted text may only be missing where a line ends, or it would be found inside of
    // words.
    std::erase_if(spans, [&](const Span& span) {
      return span.end < view.text().size() && view.text()[span.end] != '\n';
    });
  }
  for (auto& span : spans) {
    std::size_t begin = view.begin_of(span.begin);
    span = {begin, view.end_of(span.end)};
  }
  return spans;
}

// Whole lines that are the same but for the blanks around them, whole paragraph by whole paragraph.
std::vector<Span> find_unindented(std::string_view text, std::string_view wanted,
                                  const std::stop_token& stop) {
  auto have = lines_of(text), want = lines_of(wanted);
  std::vector<std::string> want_folded, have_folded;
  for (const auto& line : want) want_folded.push_back(fold(trimmed(line.body), Fold::typography));
  for (const auto& line : have) have_folded.push_back(fold(trimmed(line.body), Fold::typography));
  if (std::all_of(want_folded.begin(), want_folded.end(), [](const auto& line) { return line.size() < 2; }))
    return {};
  std::vector<Span> spans;
  for (std::size_t i = 0; i + want.size() <= have.size() && !stop.stop_requested(); ++i) {
    if (!std::equal(want_folded.begin(), want_folded.end(),
                    have_folded.begin() + static_cast<std::ptrdiff_t>(i)))
      continue;
    const Line& last = have[i + want.size() - 1];
    auto begin = static_cast<std::size_t>(have[i].body.data() - text.data());
    auto end = static_cast<std::size_t>(last.body.data() + last.body.size() - text.data());
    if (!want.back().ending.empty()) end += last.ending.size();
    spans.push_back({begin, end});
    i += want.size() - 1;
  }
  return spans;
}

// The last line, wanted with an ending it does not have.
std::vector<Span> find_unended(std::string_view text, std::string_view wanted) {
  const std::string_view body = wanted.substr(0, wanted.find_last_not_of("\r\n") + 1);
  const std::string_view ending = wanted.substr(body.size());
  if (body.empty() || (ending != "\n" && ending != "\r\n")) return {};
  auto spans = find_folded(text, body, Fold::line_endings);
  std::erase_if(spans, [&](const Span& span) { return span.end != text.size(); });
  return spans;
}

Matches find(std::string_view text, std::string_view wanted, const std::stop_token& stop) {
  // Where "\n" may stand for "\r\n", the view that treats them alike finds the exact matches, too.
  bool endings =
      wanted.find('\n') != wanted.npos && wanted.find('\r') == wanted.npos && text.find('\r') != text.npos;
  if (auto spans = endings ? std::vector<Span>() : find_all(text, wanted); !spans.empty())
    return {std::move(spans), ""};
  if (auto spans = find_folded(text, wanted, Fold::line_endings); !spans.empty())
    return {std::move(spans), ""};
  if (auto spans = find_unended(text, wanted); !spans.empty()) return {std::move(spans), no_last_ending};
  if (text.size() > fuzzy_limit) return {};
  if (auto spans = find_folded(text, wanted, Fold::typography); !spans.empty()) {
    return {std::move(spans), "the style of quotes, dashes and special blanks"};
  }
  if (auto spans = find_folded(text, wanted, Fold::line_ends); !spans.empty())
    return {std::move(spans), "blanks at line ends"};
  return {find_unindented(text, wanted, stop), "indentation"};
}

std::vector<std::size_t> line_numbers(std::string_view text, const std::vector<Span>& spans) {
  const char mark = uses_only_cr(text) ? '\r' : '\n';
  std::vector<std::size_t> numbers;
  std::size_t number = 1, at = 0;
  for (const auto& span : spans) {
    const std::string_view passed = text.substr(at, span.begin - at);
    number += static_cast<std::size_t>(std::count(passed.begin(), passed.end(), mark));
    numbers.push_back(number);
    at = span.begin;
  }
  return numbers;
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
    return error +
           "\nold_string starts with the line numbers of Read's output: leave them out, they are not in the "
           "file.";
  }
  std::string near = nearest_lines(text, request.old_text);
  return error + (near.empty() ? "\nNothing in the file is like it. Read the file again." : "\n" + near);
}

std::string ambiguous(const EditOutcome& outcome, const std::string& ignoring) {
  return "Found " + std::to_string(outcome.lines.size()) + " matches of the string to replace" +
         (ignoring.empty() ? "" : " (ignoring " + ignoring + ")") + ", at lines " +
         number_list(outcome.lines) +
         ", but replace_all is false. To replace all occurrences, set replace_all to true. To replace only "
         "one occurrence, "
         "please provide more context to uniquely identify the instance.";
}

bool differ_only_in_endings(const EditRequest& request) {
  return request.old_text != request.new_text &&
         fold(request.old_text, Fold::line_endings) == fold(request.new_text, Fold::line_endings);
}

// How the file ends its lines where a position is, asked for ever later ones: "\n", "\r\n" or "\r".
class Endings {
 public:
  explicit Endings(std::string_view text) : text_(text) {}
  std::string_view near(std::size_t position) {
    if (known_ && position <= until_) return ending_;
    std::size_t end = until_ = text_.find('\n', position);
    if (end == std::string_view::npos && position > 0) end = text_.rfind('\n', position - 1);
    known_ = true;
    ending_ = end == std::string_view::npos       ? text_.find('\r') == std::string_view::npos ? "\n" : "\r"
              : end > 0 && text_[end - 1] == '\r' ? "\r\n"
                                                  : "\n";
    return ending_;
  }

 private:
  std::string_view text_, ending_;
  std::size_t until_ = 0;
  bool known_ = false;
};

// new_text as it is to stand at each place; the unit is looked for once, and not for a change of very many
// places.
class Units {
 public:
  Units(std::string_view text, const EditRequest& request, const Matches& found)
      : text_(text), request_(request) {
    const bool lines = request.new_text.find_first_of("\t ") != std::string::npos;
    if (request.take_unit && lines && found.ignoring.empty() && found.spans.size() <= 50)
      unit_ = unit_of(text);
  }
  std::string at(const Span& span, std::string& indented) const {
    if (!unit_) return request_.new_text;
    std::string fresh = in_unit(text_, span.begin, request_.old_text, request_.new_text, *unit_);
    if (fresh != request_.new_text) indented = to_string(*unit_);
    return fresh;
  }

 private:
  std::string_view text_;
  const EditRequest& request_;
  std::optional<IndentUnit> unit_;
};

EditRequest without_ending(EditRequest request) {
  for (std::string* text : {&request.old_text, &request.new_text}) {
    if (!text->empty() && text->back() == '\n') text->pop_back();
    if (!text->empty() && text->back() == '\r') text->pop_back();
  }
  return request;
}

std::string interrupted() { return "Interrupted; nothing was written."; }

}  // namespace

EditOutcome apply_edit(std::string_view file, const EditRequest& request) {
  return apply_edit(file, request, detect(file));
}

EditOutcome apply_edit(std::string_view file, const EditRequest& request, const Charset& charset,
                       const std::stop_token& stop) {
  EditOutcome outcome;
  if (request.old_text == request.new_text) {
    outcome.error = "No changes to make: old_string and new_string are exactly the same.";
    return outcome;
  }
  TextView view(file, charset);
  std::string_view text = view.text();
  Matches found = find(text, request.old_text, stop);
  outcome.lines = line_numbers(text, found.spans);
  if (found.spans.empty()) outcome.error = not_found(text, request);
  if (found.spans.size() > 1 && !request.all) outcome.error = ambiguous(outcome, found.ignoring);
  if (stop.stop_requested()) outcome.error = interrupted();
  if (!outcome.error.empty()) return outcome;

  bool literal = differ_only_in_endings(request);
  const EditRequest meant = found.ignoring == no_last_ending ? without_ending(request) : request;
  std::size_t kept = 0;
  Endings endings(text);
  const Units units(text, meant, found);
  for (const auto& span : found.spans) {
    if (stop.stop_requested())
      return {.bytes = {}, .error = interrupted(), .ignoring = {}, .indented = {}, .lines = {}};
    std::string_view raw = text.substr(span.begin, span.end - span.begin);
    std::string fresh =
        literal ? meant.new_text
                : adapt_text(raw, meant.old_text, units.at(span, outcome.indented), endings.near(span.begin));
    std::string misfit;
    auto encoded = splice_encoded(
        raw, file.substr(view.source(span.begin), view.source(span.end) - view.source(span.begin)), fresh,
        charset, misfit);
    if (!encoded) {
      outcome.error = "The file is " + std::string(to_string(charset.encoding)) +
                      " text, and new_string contains " + name_character(misfit) +
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
