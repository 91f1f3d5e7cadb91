#include "tools/files/diff.h"

#include <algorithm>
#include <unordered_map>

namespace tern {

namespace {

using Lines = std::vector<std::string_view>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

constexpr std::size_t most_cells = 4'000'000;  // beyond, only unique lines anchor the difference

void lcs_table(const Lines& a, const Lines& b, std::size_t a0, std::size_t a1, std::size_t b0, std::size_t b1,
               Pairs& out) {
  std::size_t n = a1 - a0, m = b1 - b0, width = m + 1;
  std::vector<unsigned> length((n + 1) * width);
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = m; j-- > 0;) {
      length[i * width + j] = a[a0 + i] == b[b0 + j]
                                  ? length[(i + 1) * width + j + 1] + 1
                                  : std::max(length[(i + 1) * width + j], length[i * width + j + 1]);
    }
  }
  for (std::size_t i = 0, j = 0; i < n && j < m;) {
    if (a[a0 + i] == b[b0 + j]) {
      out.emplace_back(a0 + i++, b0 + j++);
    } else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
}

// Lines that occur once on both sides, in increasing order of both: patience anchors.
Pairs unique_anchors(const Lines& a, const Lines& b, std::size_t a0, std::size_t a1, std::size_t b0,
                     std::size_t b1) {
  struct Seen {
    std::size_t in_a = 0, in_b = 0, at_a = 0, at_b = 0;
  };
  std::unordered_map<std::string_view, Seen> seen;
  for (std::size_t i = a0; i < a1; ++i) seen[a[i]].in_a++, seen[a[i]].at_a = i;
  for (std::size_t j = b0; j < b1; ++j) seen[b[j]].in_b++, seen[b[j]].at_b = j;
  Pairs candidates, best;
  for (const auto& [line, s] : seen) {
    if (s.in_a == 1 && s.in_b == 1) candidates.emplace_back(s.at_a, s.at_b);
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<std::size_t> tails, previous(candidates.size());
  for (std::size_t c = 0; c < candidates.size(); ++c) {  // longest increasing run of at_b
    auto it =
        std::lower_bound(tails.begin(), tails.end(), candidates[c].second,
                         [&](std::size_t t, std::size_t value) { return candidates[t].second < value; });
    previous[c] = it == tails.begin() ? candidates.size() : *(it - 1);
    if (it == tails.end()) {
      tails.push_back(c);
    } else {
      *it = c;
    }
  }
  for (std::size_t c = tails.empty() ? candidates.size() : tails.back(); c < candidates.size();
       c = previous[c]) {
    best.push_back(candidates[c]);
  }
  std::reverse(best.begin(), best.end());
  return best;
}

void match_range(const Lines& a, const Lines& b, std::size_t a0, std::size_t a1, std::size_t b0,
                 std::size_t b1, Pairs& out) {
  while (a0 < a1 && b0 < b1 && a[a0] == b[b0]) out.emplace_back(a0++, b0++);
  std::size_t tail = 0;
  while (a0 < a1 - tail && b0 < b1 - tail && a[a1 - tail - 1] == b[b1 - tail - 1]) ++tail;
  a1 -= tail;
  b1 -= tail;
  if (a0 < a1 && b0 < b1) {
    if ((a1 - a0) * (b1 - b0) <= most_cells) {
      lcs_table(a, b, a0, a1, b0, b1, out);
    } else {
      auto anchors = unique_anchors(a, b, a0, a1, b0, b1);
      for (const auto& [i, j] : anchors) {
        if ((i - a0) * (j - b0) <= most_cells) lcs_table(a, b, a0, i, b0, j, out);
        out.emplace_back(i, j);
        a0 = i + 1;
        b0 = j + 1;
      }
      if ((a1 - a0) * (b1 - b0) <= most_cells) lcs_table(a, b, a0, a1, b0, b1, out);
    }
  }
  for (std::size_t i = 0; i < tail; ++i) out.emplace_back(a1 + i, b1 + i);
}

void put_line(std::string& out, char sign, std::string_view line) {
  out += sign;
  bool whole = !line.empty() && line.back() == '\n';
  out += line;
  if (!whole) out += "\n\\ No newline at end of file\n";
}

struct Op {
  char sign;
  std::string_view line;
  std::size_t a, b;  // 0-based position before this line
};

std::vector<Op> operations(const Lines& a, const Lines& b) {
  std::vector<Op> ops;
  std::size_t i = 0, j = 0;
  auto until = [&](std::size_t to_i, std::size_t to_j) {
    for (; i < to_i; ++i) ops.push_back({'-', a[i], i, j});
    for (; j < to_j; ++j) ops.push_back({'+', b[j], i, j});
  };
  for (const auto& [x, y] : common_lines(a, b)) {
    until(x, y);
    ops.push_back({' ', a[i], i, j});
    ++i, ++j;
  }
  until(a.size(), b.size());
  return ops;
}

std::string range(std::size_t start, std::size_t count) {
  std::size_t shown = count ? start + 1 : start;
  return std::to_string(shown) + (count == 1 ? "" : "," + std::to_string(count));
}

void put_hunk(Diff& diff, const std::vector<Op>& ops, std::size_t from, std::size_t to) {
  std::string body;
  std::size_t old_count = 0, new_count = 0;
  for (std::size_t k = from; k < to; ++k) {
    put_line(body, ops[k].sign, ops[k].line);
    old_count += ops[k].sign != '+';
    new_count += ops[k].sign != '-';
    diff.added += ops[k].sign == '+';
    diff.removed += ops[k].sign == '-';
    if (ops[k].sign != ' ' && diff.first_line == 0) diff.first_line = ops[k].b + 1;
  }
  diff.text += "@@ -" + range(ops[from].a, old_count) + " +" + range(ops[from].b, new_count) + " @@\n" + body;
}

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    end = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

Pairs common_lines(const Lines& a, const Lines& b) {
  Pairs out;
  match_range(a, b, 0, a.size(), 0, b.size(), out);
  return out;
}

Diff unified_diff(std::string_view before, std::string_view after, std::size_t context) {
  Diff diff;
  if (before == after) return diff;
  auto ops = operations(split_lines(before), split_lines(after));
  for (std::size_t k = 0; k < ops.size();) {
    if (ops[k].sign == ' ') {
      ++k;
      continue;
    }
    std::size_t from = k > context ? k - context : 0, last = k;
    for (std::size_t next = k; next < ops.size() && next <= last + 2 * context + 1; ++next) {
      if (ops[next].sign != ' ') last = next;
    }
    std::size_t to = std::min(ops.size(), last + context + 1);
    put_hunk(diff, ops, from, to);
    k = to;
  }
  return diff;
}

std::string change_note(const Diff& diff) {
  return "+" + std::to_string(diff.added) + " \xe2\x88\x92" + std::to_string(diff.removed);
}

}  // namespace tern
