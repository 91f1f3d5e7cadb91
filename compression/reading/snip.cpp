#include "compression/reading/snip.h"

#include <algorithm>

#include "compression/text/file_outline.h"
#include "compression/text/last_screen.h"
#include "compression/text/lines.h"
#include "compression/text/salient.h"
#include "compression/text/utf8.h"
#include "compression/values/describe.h"
#include "compression/values/tokens.h"
#include "compression/values/tool_kinds.h"

namespace tern {

namespace {

constexpr double kept_share = 0.15;          // of the limit, for error lines of the middle or its outline
constexpr std::size_t marker_room = 200;     // characters of it that the marker may take
constexpr std::size_t kept_line = 200;       // characters of one such line
constexpr std::size_t most_salient = 2'000;  // lines looked at before the scan stops
constexpr double characters_a_token = 4;
constexpr double most_of_window =
    1.0 / 12;  // for one result: larger ones push out more that is needed than they bring

std::string with_recall(std::string note, RecallId recall) {
  return recall ? note + " \xC2\xB7 recall " + to_string(recall) + "]" : note + "]";
}

// The byte after the first `n` characters.
std::size_t after_characters(std::string_view text, std::size_t n) {
  std::size_t at = 0;
  while (at < text.size() && n > 0) {
    ++at;
    while (at < text.size() && is_continuation(text[at])) ++at;
    --n;
  }
  return at;
}

// The byte before the last `n` characters.
std::size_t before_characters(std::string_view text, std::size_t n) {
  std::size_t at = text.size();
  while (at > 0 && n > 0) {
    --at;
    while (at > 0 && is_continuation(text[at])) --at;
    --n;
  }
  return at;
}

// A cut moves to a line boundary when that costs less than half of its part.
std::size_t end_of_head(std::string_view text, std::size_t characters) {
  const std::size_t at = after_characters(text, characters);
  const auto newline = at == 0 ? text.npos : text.rfind('\n', at - 1);
  return newline != text.npos && newline + 1 >= at / 2 ? newline + 1 : at;
}
std::size_t start_of_tail(std::string_view text, std::size_t characters) {
  const std::size_t at = before_characters(text, characters);
  if (at == 0 || text[at - 1] == '\n') return at;
  const auto newline = text.find('\n', at);
  return newline != text.npos && newline + 1 - at <= (text.size() - at) / 2 ? newline + 1 : at;
}

std::size_t count_lines(std::string_view text) {
  return count_newlines(text) + (!text.empty() && text.back() != '\n');
}

// What the reader does not see, in the terms of the original: lines counted from 1.
struct Gap {
  std::size_t first_line = 0, lines = 0, characters = 0;
};

bool longer_than(std::string_view text, std::size_t characters) {
  return text.size() > characters && (text.size() > 4 * characters || count_characters(text) > characters);
}

class Cut {
 public:
  Cut(std::string_view original, const CleanOutput& clean, const SnipForm& form)
      : original_(original),
        clean_(clean),
        text_(clean.changed ? std::string_view(clean.text) : original),
        form_(form) {}

  std::string assemble(RecallId recall) {
    if (form_.halves) return in_halves(recall);
    const auto limit = static_cast<double>(form_.limit);
    choose(static_cast<std::size_t>(limit * form_.head), static_cast<std::size_t>(limit * form_.tail));
    std::string out(text_.substr(0, head_));
    if (!out.empty() && out.back() != '\n') out += '\n';
    out += with_recall("[\xE2\x80\xA6 " + told(hidden()), recall) + '\n';
    if (form_.kind == OutputKind::log) append_salient(out);
    if (!form_.language.empty()) out += outline();
    return out.append(text_.substr(tail_));
  }

 private:
  void choose(std::size_t head, std::size_t tail) {
    head_ = end_of_head(text_, head);
    tail_ = std::max(head_, start_of_tail(text_, tail));
  }

  Gap hidden() const {
    const std::size_t from = clean_.original_start(head_), to = std::max(from, clean_.original_end(tail_));
    const auto middle = original_.substr(from, to - from);
    return {count_newlines(original_.substr(0, from)) + 1, count_lines(middle), count_characters(middle)};
  }

  static std::string told(const Gap& gap) {
    return grouped(gap.characters) + " characters, " + grouped(gap.lines) + " lines snipped (lines " +
           std::to_string(gap.first_line) + "\xE2\x80\x93" + std::to_string(gap.first_line + gap.lines - 1) +
           ")";
  }

  // Within the limit with its marker; where the marker alone is above it, the shortest one is all there is.
  std::string in_halves(RecallId recall) {
    const auto marker = [&](const Gap& gap) {
      const auto note = gap.lines > 1 ? told(gap) : grouped(gap.characters) + " characters snipped";
      return with_recall("\n... [" + note, recall) + " ...\n\n";
    };
    const std::size_t room = 1 + count_characters(marker(hidden_all()));  // no gap is told in more
    if (form_.limit < room + 2) return with_recall("[snipped", recall);
    const std::size_t half = (form_.limit - room) / 2;
    choose(half, half);
    std::string out(text_.substr(0, head_));
    if (!out.empty() && out.back() != '\n') out += '\n';
    return out.append(marker(hidden())).append(text_.substr(tail_));
  }

  Gap hidden_all() const {
    const auto lines = std::max<std::size_t>(2, count_lines(original_));
    return {lines, lines, count_characters(original_)};
  }

  std::string outline() const {
    const auto room = static_cast<std::size_t>(static_cast<double>(form_.limit) * kept_share);
    return room > marker_room ? file_outline(text_, head_, tail_, form_.language, room - marker_room)
                              : std::string();
  }

  // Strong lines first, each kind in its order, until the budget is spent; shown in the order of the text.
  void append_salient(std::string& out) const {
    auto lines = salient_lines(text_.substr(head_, tail_ - head_), most_salient);
    const std::size_t before = count_newlines(text_.substr(0, head_));
    auto budget = static_cast<std::ptrdiff_t>(static_cast<double>(form_.limit) * kept_share);
    std::vector<bool> kept(lines.size(), false);
    for (const bool strong : {true, false}) {
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto cost = static_cast<std::ptrdiff_t>(std::min(lines[i].text.size(), kept_line) + 10);
        if (lines[i].strong != strong || cost > budget || repeats(lines, kept, i)) continue;
        kept[i] = true;
        budget -= cost;
      }
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!kept[i]) continue;
      const auto text = lines[i].text;
      out += std::to_string(clean_.original_line(before + lines[i].line) + 1) + ": ";
      out.append(text.substr(0, utf8_floor(text, kept_line))).append("\n");
    }
  }

  static bool repeats(const std::vector<SalientLine>& lines, const std::vector<bool>& kept, std::size_t i) {
    constexpr std::size_t looked_back = 8;
    for (std::size_t j = i; j > 0 && i - j < looked_back; --j) {
      if (kept[j - 1] && lines[j - 1].text == lines[i].text) return true;
    }
    return false;
  }

  std::string_view original_;
  const CleanOutput& clean_;
  std::string_view text_;
  const SnipForm& form_;
  std::size_t head_ = 0, tail_ = 0;
};

std::string shortened(std::string_view text, const SnipForm& form, RecallId recall) {
  const CleanOutput clean = clean_output(text, form.kind);
  if (!clean.changed || longer_than(clean.text, form.limit)) return Cut(text, clean, form).assemble(recall);
  std::string out = clean.text;
  if (!out.empty() && out.back() != '\n') out += '\n';
  const std::string note = "[repeats collapsed: " + grouped(count_characters(text)) + " characters, " +
                           grouped(count_lines(text)) + " lines before";
  out += with_recall(note, recall);
  return longer_than(out, form.limit) ? Cut(text, clean, form).assemble(recall) : out;
}

}  // namespace

namespace {

bool is_recall(const ToolResult& result) { return recalls(result.tool); }

std::size_t limit_of(const ToolResult& result, const Budget& budget, const Arrival& arrival) {
  const auto& config = budget.config;
  const bool asked_for = reads_files(result.tool) || is_recall(result);
  const bool calm = band(arrival.share) == Band::calm;
  const std::size_t wanted = asked_for ? config.read_limit : calm ? relaxed_limit(config) : config.snip_limit;
  const auto window = static_cast<double>(std::max<Tokens>(0, budget.effective())) * characters_a_token;
  const std::size_t bound = std::min(wanted, static_cast<std::size_t>(window * most_of_window)) *
                            (asked_for && arrival.ranged ? 2 : 1);
  return std::max(bound, config.snip_limit);
}

}  // namespace

SnipForm snip_form(const ToolResult& result, const Budget& budget, const Arrival& arrival) {
  const auto& config = budget.config;
  SnipForm form{.head = config.snip_head, .tail = config.snip_tail, .kind = output_kind(result)};
  if (config.snip_halves && config.max_tool_output > 0) {
    form.limit = config.max_tool_output;
    form.head = form.tail = 0.5;
    form.halves = true;
  } else {
    form.limit = limit_of(result, budget, arrival);
    if (form.kind == OutputKind::source) {  // what error lines would take is the head's
      form.head = std::max(form.head, 1 - form.tail - kept_share);
      form.language = language_of(is_recall(result) ? arrival.file : result.subject);
    }
  }
  return form;
}

OutputKind output_kind(const ToolResult& result) {
  if (is_recall(result)) return OutputKind::source;  // asked for as it was
  if (!reads_files(result.tool)) return OutputKind::log;
  const std::string_view subject = result.subject;
  const bool log = subject.ends_with(".log") || subject.ends_with(".out") || subject.ends_with(".err");
  return log ? OutputKind::log : OutputKind::source;
}

std::string snip_text(std::string_view text, const SnipForm& form, RecallId recall) {
  if (form.kind == OutputKind::log && has_terminal_codes(text)) {
    // Where that is all: a marker names lines of the original, which is not drawn over.
    if (goes_back_up(text)) {
      std::string screen = without_terminal_codes(last_screen(text));
      if (!longer_than(screen, form.limit)) return screen;
    }
    const std::string plain = without_terminal_codes(text);
    return longer_than(plain, form.limit) ? snip_text(plain, form, recall) : plain;
  }
  if (!longer_than(text, form.limit)) return std::string(text);
  std::string out = shortened(text, form, recall);
  return out.size() < text.size() ? out : std::string(text);
}

Item snip(Item item, const Budget& budget, const Arrival& arrival) {
  for (auto& block : item.blocks) {
    auto* result = std::get_if<ToolResult>(&block);
    if (!result || result->form != ResultForm::full) continue;
    const SnipForm form = snip_form(*result, budget, arrival);
    const bool codes = form.kind == OutputKind::log && has_terminal_codes(result->text);
    if (!codes && !longer_than(result->text, form.limit)) continue;
    std::string text = snip_text(result->text, form, result->recall);
    const bool cut = text.size() < result->text.size() && longer_than(result->text, form.limit);
    if (cut) result->form = ResultForm::snipped;
    result->text = std::move(text);
  }
  item.tokens = estimate(item);
  return item;
}

}  // namespace tern
