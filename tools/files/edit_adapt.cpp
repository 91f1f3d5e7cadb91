#include "tools/files/edit_adapt.h"

#include <algorithm>
#include <map>
#include <vector>

#include "tools/files/diff.h"
#include "tools/files/fold.h"

namespace tern {

namespace {

using Lines = std::vector<Line>;

std::vector<std::string_view> bodies(const Lines& lines) {
  std::vector<std::string_view> out;
  for (const auto& line : lines) out.push_back(line.body);
  return out;
}

// A shared beginning of both, cut back to a character boundary.
std::size_t common_prefix(std::string_view a, std::string_view b) {
  std::size_t n = 0, most = std::min(a.size(), b.size());
  while (n < most && a[n] == b[n]) ++n;
  while (n > 0 && n < a.size() && (static_cast<unsigned char>(a[n]) & 0xC0) == 0x80) --n;
  while (n > 0 && n < b.size() && (static_cast<unsigned char>(b[n]) & 0xC0) == 0x80) --n;
  return n;
}

std::size_t common_suffix(std::string_view a, std::string_view b, std::size_t prefix) {
  std::size_t n = 0, most = std::min(a.size(), b.size()) - prefix;
  while (n < most && a[a.size() - n - 1] == b[b.size() - n - 1]) ++n;
  while (n > 0 && (static_cast<unsigned char>(a[a.size() - n]) & 0xC0) == 0x80) --n;
  return n;
}

bool has_curly_double(std::string_view text) {
  return text.find("\u201c") != text.npos || text.find("\u201d") != text.npos;
}
bool has_curly_single(std::string_view text) {
  return text.find("\u2018") != text.npos || text.find("\u2019") != text.npos;
}

bool opens_quote(std::string_view before) {
  return before.empty() || std::string_view(" \t([{<=-").find(before.back()) != std::string_view::npos;
}

// Straight quotes become curly where the file has only curly ones of that kind and the model wrote straight
// ones for them.
class QuoteStyle {
 public:
  QuoteStyle(std::string_view raw, std::string_view old_text)
      : double_(has_curly_double(raw) && !has_curly_double(old_text) && raw.find('"') == raw.npos),
        single_(has_curly_single(raw) && !has_curly_single(old_text) && raw.find('\'') == raw.npos) {}

  std::string operator()(std::string_view text) const {
    std::string out;
    for (char c : text) {
      bool opens = opens_quote(out);
      if (c == '"' && double_) {
        out += opens ? "\u201c" : "\u201d";
      } else if (c == '\'' && single_) {
        out += opens ? "\u2018" : "\u2019";
      } else {
        out += c;
      }
    }
    return out;
  }

 private:
  bool double_, single_;
};

// A changed line: what old and new share at both ends keeps the file's own bytes.
std::string merge_line(std::string_view raw, std::string_view old_body, std::string_view new_body,
                       const QuoteStyle& style) {
  if (raw == old_body) return style(new_body);
  Folded view(raw, Fold::line_ends);
  std::string old_folded = fold(old_body, Fold::line_ends);
  if (view.text() != old_folded) return style(new_body);
  std::size_t prefix = common_prefix(old_body, new_body);
  std::size_t suffix = common_suffix(old_body, new_body, prefix);
  std::size_t head = fold(old_body.substr(0, prefix), Fold::typography).size();
  std::size_t tail = fold(old_body.substr(old_body.size() - suffix), Fold::line_ends).size();
  if (head + tail > view.text().size()) return style(new_body);
  std::string_view middle = new_body.substr(prefix, new_body.size() - prefix - suffix);
  std::size_t tail_at = view.text().size() - tail;
  std::string out(raw.substr(0, head == 0 ? 0 : view.end_of(head)));
  out += style(middle);
  if (tail)
    out += raw.substr(view.begin_of(tail_at), view.end_of(view.text().size()) - view.begin_of(tail_at));
  return out;
}

// How indentation as the model wrote it maps to the file's.
class Indents {
 public:
  Indents(const Lines& raw, const Lines& old) {
    for (std::size_t i = 0; i < std::min(raw.size(), old.size()); ++i) {
      if (trimmed(old[i].body).empty()) continue;
      if (i == 0 && raw.size() > 1 && raw[0].indent().empty() && old[0].indent().empty())
        continue;  // may start in mid-line
      add(old[i].indent(), raw[i].indent());
    }
    for (std::size_t i = 0; i < std::min(raw.size(), old.size()) && known_.empty(); ++i)
      add(old[i].indent(), raw[i].indent());
  }

  std::string operator()(std::string_view indent) const {
    auto exact = known_.find(std::string(indent));
    if (same_ || known_.empty()) return std::string(indent);
    if (exact != known_.end()) return exact->second;
    const std::pair<const std::string, std::string>* below = nullptr;
    for (const auto& pair : known_) {
      if (indent.substr(0, pair.first.size()) == pair.first &&
          (!below || pair.first.size() > below->first.size()))
        below = &pair;
    }
    if (below) return below->second + converted(indent.substr(below->first.size()));
    const auto& [wrote, has] = *known_.begin();  // less deep than anything known: take away as much
    std::size_t less =
        wrote.size() > indent.size() ? converted(std::string_view(wrote).substr(indent.size())).size() : 0;
    return has.substr(0, has.size() - std::min(has.size(), less));
  }

 private:
  void add(std::string_view wrote, std::string_view has) {
    known_.try_emplace(std::string(wrote), has);
    same_ = same_ && wrote == has;
    tabs_ = tabs_ || has.find('\t') != std::string_view::npos;
    auto tabs = static_cast<std::size_t>(std::count(has.begin(), has.end(), '\t'));
    auto wrote_tabs = static_cast<std::size_t>(std::count(wrote.begin(), wrote.end(), '\t'));
    if (tabs && !wrote_tabs && wrote.size() % tabs == 0 && wrote.size() / tabs >= 2)
      unit_ = wrote.size() / tabs;
    if (wrote_tabs && !tabs && has.size() % wrote_tabs == 0 && has.size() / wrote_tabs >= 2)
      unit_ = has.size() / wrote_tabs;
  }

  std::string converted(std::string_view more) const {
    auto tabs = static_cast<std::size_t>(std::count(more.begin(), more.end(), '\t'));
    if (tabs_ && !tabs) return std::string(more.size() / unit_, '\t') + std::string(more.size() % unit_, ' ');
    if (!tabs_ && tabs) return std::string(tabs * unit_ + (more.size() - tabs), ' ');
    return std::string(more);
  }

  std::map<std::string, std::string> known_;
  bool same_ = true, tabs_ = false;
  std::size_t unit_ = 4;
};

// For each new line the old line it is (or replaces), if any.
struct Pairing {
  std::vector<std::ptrdiff_t> same, instead;
};

Pairing pair_lines(const Lines& old, const Lines& fresh) {
  Pairing pairing{std::vector<std::ptrdiff_t>(fresh.size(), -1),
                  std::vector<std::ptrdiff_t>(fresh.size(), -1)};
  auto common = common_lines(bodies(old), bodies(fresh));
  common.emplace_back(old.size(), fresh.size());
  std::size_t i = 0, j = 0;
  for (const auto& [at_old, at_new] : common) {
    if (at_old - i == at_new - j) {
      for (; j < at_new; ++i, ++j) pairing.instead[j] = static_cast<std::ptrdiff_t>(i);
    }
    if (at_new < fresh.size()) pairing.same[at_new] = static_cast<std::ptrdiff_t>(at_old);
    i = at_old + 1;
    j = at_new + 1;
  }
  return pairing;
}

}  // namespace

std::string adapt_text(std::string_view raw, std::string_view old_text, std::string_view new_text,
                       std::string_view ending) {
  Lines have = lines_of(raw), old = lines_of(old_text), fresh = lines_of(new_text);
  if (have.size() != old.size()) return std::string(new_text);
  if (new_text.empty()) return {};
  Pairing pairing = pair_lines(old, fresh);
  Indents indents(have, old);
  QuoteStyle style(raw, old_text);
  std::string out;
  std::string_view last_ending = have.front().ending.empty() ? ending : have.front().ending;
  for (std::size_t j = 0; j < fresh.size(); ++j) {
    const Line& line = fresh[j];
    std::ptrdiff_t i = std::max(pairing.same[j], pairing.instead[j]);
    if (pairing.same[j] >= 0) {
      out += have[static_cast<std::size_t>(i)].body;
    } else if (i >= 0) {
      const Line& raw_line = have[static_cast<std::size_t>(i)];
      const Line& old_line = old[static_cast<std::size_t>(i)];
      out += line.indent() == old_line.indent() ? std::string(raw_line.indent()) : indents(line.indent());
      out += merge_line(raw_line.rest(), old_line.rest(), line.rest(), style);
    } else {
      out +=
          trimmed(line.body).empty() ? std::string(line.body) : indents(line.indent()) + style(line.rest());
    }
    if (i >= 0 && !have[static_cast<std::size_t>(i)].ending.empty())
      last_ending = have[static_cast<std::size_t>(i)].ending;
    if (!line.ending.empty()) out += last_ending;
  }
  return out;
}

std::optional<std::string> splice_encoded(std::string_view raw, std::string_view raw_bytes,
                                          std::string_view fresh, const Charset& charset,
                                          std::string& misfit) {
  if (charset.encoding == Encoding::utf8 || charset.encoding == Encoding::binary) return std::string(fresh);
  std::size_t prefix = common_prefix(raw, fresh), suffix = common_suffix(raw, fresh, prefix);
  TextView view(raw_bytes, {.encoding = charset.encoding});
  if (view.text() != raw)
    return encode(fresh, charset.encoding, misfit);  // the span cuts through a character
  auto middle = encode(fresh.substr(prefix, fresh.size() - prefix - suffix), charset.encoding, misfit);
  if (!middle) return std::nullopt;
  std::size_t tail = raw.size() - suffix;
  return std::string(raw_bytes.substr(0, view.source(prefix))) + *middle +
         std::string(raw_bytes.substr(view.source(tail)));
}

bool looks_numbered(std::string_view text) {
  bool tabbed = false;
  for (const auto& line : lines_of(text)) {
    const std::string_view body = line.rest();
    const std::size_t digits = std::min(body.find_first_not_of("0123456789"), body.size());
    if (digits == 0 || (digits < body.size() && body[digits] != '\t')) return false;
    tabbed = tabbed || digits < body.size();
  }
  return tabbed;
}

}  // namespace tern
