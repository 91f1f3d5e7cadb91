#include "compression/values/written_names.h"

#include <algorithm>
#include <array>

#include "compression/text/fnv.h"
#include "compression/text/lines.h"
#include "compression/text/utf8.h"

namespace tern {

namespace {

constexpr std::size_t least_name = 5, longest_line = 300, looked_lines = 4'000;

enum Kind : std::uint8_t {
  other,
  lower,
  upper,
  digit,
  joint
};  // joint: what names are joined by, inside a word

constexpr std::array<std::uint8_t, 256> make_kinds() {
  std::array<std::uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[c] = lower;
  for (int c = 'A'; c <= 'Z'; ++c) table[c] = upper;
  for (int c = '0'; c <= '9'; ++c) table[c] = digit;
  for (const char c : {'_', '.', '/', '-'}) table[static_cast<unsigned char>(c)] = joint;
  return table;
}
constexpr auto kinds = make_kinds();

// f(hash) for each specific name: a run of letters, digits and joints that no prose word looks like. Of a
// path its last part speaks, too.
template <class F>
void each_name(std::string_view text, F&& f) {
  constexpr std::uint64_t seed = fnv_offset, prime = fnv_prime;
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p < end) {
    while (p < end &&
           (kinds[static_cast<unsigned char>(*p)] == other || kinds[static_cast<unsigned char>(*p)] == joint))
      ++p;
    const char* const start = p;
    std::uint64_t hash = seed, part = seed;
    bool specific = false;
    std::uint8_t before = other;
    std::size_t trailing = 0, part_size = 0;
    std::uint64_t trimmed_hash = seed, trimmed_part = seed;
    for (; p < end; ++p) {
      const auto c = static_cast<unsigned char>(*p);
      const std::uint8_t kind = kinds[c];
      if (kind == other) break;
      hash = (hash ^ c) * prime;
      if (kind == joint) {
        ++trailing;
        if (c == '/')
          part = seed, part_size = 0;
        else
          part = (part ^ c) * prime, ++part_size;
      } else {
        specific = specific || (before == joint && p[-1] != '-') || (before == lower && kind == upper) ||
                   (before != digit && before != other && kind == digit);
        trailing = 0;
        part = (part ^ c) * prime;
        ++part_size;
        trimmed_hash = hash;
        trimmed_part = part;
      }
      before = kind;
    }
    const auto size = static_cast<std::size_t>(p - start) - trailing;
    if (!specific || size < least_name) continue;
    f(trimmed_hash);
    if (trimmed_part != trimmed_hash && part_size >= least_name) f(trimmed_part);
  }
}

}  // namespace

WrittenNames::Slot* WrittenNames::find(std::uint64_t hash) {
  for (std::size_t i = hash >> 20;; ++i) {
    Slot& slot = slots_[i & (slots_.size() - 1)];
    if (slot.hash == hash) return &slot;
    if (slot.hash == 0) return nullptr;
  }
}

void WrittenNames::add(std::uint64_t hash) {
  if (find(hash)) return;
  if (++used_ * 2 > slots_.size()) grow();
  std::size_t i = hash >> 20;
  while (slots_[i & (slots_.size() - 1)].hash != 0) ++i;
  slots_[i & (slots_.size() - 1)].hash = hash;
}

void WrittenNames::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.hash == 0) continue;
    std::size_t i = slot.hash >> 20;
    while (slots_[i & (slots_.size() - 1)].hash != 0) ++i;
    slots_[i & (slots_.size() - 1)] = slot;
  }
}

void WrittenNames::add_text(std::string_view text) {
  each_name(text, [this](std::uint64_t hash) { add(hash); });
}

void WrittenNames::add(const Item& assistant) {
  for (const auto& block : assistant.blocks) {
    if (const auto* text = std::get_if<Text>(&block)) add_text(text->text);
    if (const auto* call = std::get_if<ToolCall>(&block)) add_text(call->arguments);
  }
}

std::string WrittenNames::lines_of(std::string_view text, std::string_view known, std::size_t bytes) {
  if (used_ == 0 || bytes == 0) return {};
  const std::uint32_t me = ++texts_;
  each_name(known, [&](std::uint64_t hash) {
    if (Slot* slot = find(hash); slot && slot->held_by == 0) slot->held_by = me;
  });
  struct Found {
    std::string_view line;
    std::size_t names;
  };
  std::vector<Found> found;
  each_line_while(text, [&](std::string_view line) {
    std::size_t names = 0;
    each_name(line, [&](std::uint64_t hash) {
      if (Slot* slot = find(hash); slot && slot->held_by == 0) slot->held_by = me, ++names;
    });
    if (names > 0) found.push_back({line, names});
    return found.size() < looked_lines;
  });
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.names > b.names; });
  std::size_t room = bytes;
  std::erase_if(found, [&](const Found& f) {
    const std::size_t cost = std::min(f.line.size(), longest_line) + 1;
    if (cost > room) return true;
    room -= cost;
    return false;
  });
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return a.line.data() < b.line.data(); });
  std::string out;
  for (const auto& f : found) out.append(f.line.substr(0, utf8_floor(f.line, longest_line))).append("\n");
  return out;
}

}  // namespace tern
