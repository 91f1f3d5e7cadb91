// What a failed edit is answered with: the nearest real lines.
#include <algorithm>
#include <bitset>

#include "tools/files/edit_match.h"
#include "tools/files/encoding.h"
#include "tools/files/fold.h"
#include "tools/set/args.h"

namespace tern {

namespace {

constexpr std::size_t most_lines = 200'000, shown_lines = 12;

using Bigrams = std::bitset<65536>;

std::size_t pair_at(std::string_view text, std::size_t i) {
  return static_cast<std::size_t>(static_cast<unsigned char>(text[i])) << 8 |
         static_cast<unsigned char>(text[i + 1]);
}

Bigrams bigrams(std::string_view text) {
  Bigrams set;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) set.set(pair_at(text, i));
  return set;
}

double likeness(const Bigrams& wanted, std::size_t wanted_size, std::string_view line) {
  if (line.size() < 2 || wanted_size < 2) return 0;
  std::size_t hits = 0;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) hits += wanted.test(pair_at(line, i));
  return 2.0 * static_cast<double>(std::min(hits, wanted_size)) /
         static_cast<double>(line.size() - 1 + wanted_size - 1);
}

std::string visible(std::string_view body) {
  std::string out;
  std::size_t last = body.find_last_not_of(" \t");
  std::size_t first = body.find_first_not_of(" \t");
  for (std::size_t i = 0; i < body.size(); ++i) {
    bool outside = first == std::string_view::npos || i < first || i > last;
    bool doubled =
        body[i] == ' ' && ((i > 0 && body[i - 1] == ' ') || (i + 1 < body.size() && body[i + 1] == ' '));
    if (body[i] == '\t') {
      out += "→";
    } else if (body[i] == ' ' && (outside || doubled)) {
      out += "·";
    } else if (body.substr(i, 2) == "\u00a0") {
      out += "⍽";
      ++i;
    } else {
      out += body[i];
    }
  }
  return to_valid_utf8(shorten(out, 400));
}

std::string first_difference(const std::vector<Line>& have, std::size_t at, const std::vector<Line>& want) {
  for (std::size_t k = 0; k < want.size() && at + k < have.size(); ++k) {
    std::string_view a = have[at + k].body, b = want[k].body;
    if (a == b) continue;
    std::size_t i = 0;
    while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
    while (i > 0 && ((i < a.size() && (static_cast<unsigned char>(a[i]) & 0xC0) == 0x80) ||
                     (i < b.size() && (static_cast<unsigned char>(b[i]) & 0xC0) == 0x80))) {
      --i;
    }
    auto piece = [i](std::string_view text) {
      return i < text.size() ? "\"" + visible(text.substr(i, 24)) + "\"" : std::string("the end of the line");
    };
    return "\nFirst difference: line " + std::to_string(at + k + 1) + ", column " + std::to_string(i + 1) +
           ": the file has " + piece(a) + ", old_string has " + piece(b) + ".";
  }
  return {};
}

}  // namespace

std::string nearest_lines(std::string_view text, std::string_view old_text) {
  auto have = lines_of(text), want = lines_of(old_text);
  if (have.size() > most_lines) return {};
  std::size_t probe = 0;
  for (std::size_t k = 1; k < want.size(); ++k) {
    if (trimmed(want[k].body).size() > trimmed(want[probe].body).size()) probe = k;
  }
  std::string_view wanted = trimmed(want[probe].body);
  if (wanted.empty()) return {};
  Bigrams set = bigrams(wanted);
  double best = 0.55;
  std::size_t at = have.size();
  for (std::size_t i = 0; i < have.size(); ++i) {
    const std::string_view line = trimmed(have[i].body);
    const double score = line == wanted ? 1 : likeness(set, wanted.size(), line);
    if (score > best) {
      best = score;
      at = i;
    }
  }
  if (at == have.size()) return {};
  std::size_t from = at - std::min(at, probe),
              to = std::min({have.size(), from + want.size(), from + shown_lines});
  std::string out = "The nearest lines in the file (→ is a tab, · a space that is easy to miss):";
  for (std::size_t i = from; i < to; ++i) out += "\n" + std::to_string(i + 1) + "\t" + visible(have[i].body);
  return out + first_difference(have, from, want);
}

}  // namespace tern
