#include "compression/reading/superseded.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "compression/text/lines.h"
#include "compression/text/names.h"
#include "compression/text/similarity.h"
#include "compression/values/blocks.h"
#include "compression/values/describe.h"
#include "compression/values/strategy.h"
#include "compression/values/tokens.h"
#include "compression/values/tool_kinds.h"

namespace tern {

namespace {

constexpr std::size_t least_text = 200;       // bytes; shorter results are not worth a line
constexpr double near_duplicate_share = 0.9;  // share of common shingles
constexpr double like_size = 0.75;            // near-duplicates are of like size
constexpr std::size_t marks = 4,
                      marked_line =
                          12;  // a text is found again by as many of its lines, of so many bytes at least

struct Seen {
  std::size_t item, block;
  const ToolResult* result;
  std::string_view arguments;
};

bool is_part(const Seen& read) {
  static constexpr std::string_view words[] = {"offset\"", "limit\"", "start",  "end_line",
                                               "line_",    "range\"", "lines\""};
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view word) { return read.arguments.find(word) != read.arguments.npos; });
}

// The lines of least hash: two texts that have most lines in common have one of these in common.
std::array<std::uint64_t, marks> marks_of(std::string_view text) {
  std::array<std::uint64_t, marks> least;
  least.fill(~std::uint64_t{0});
  each_line_of(text, [&](std::string_view line) {
    if (line.size() < marked_line) return;
    std::uint64_t hash = hash_text(line);
    for (auto& mark : least) {
      if (hash == mark) return;
      if (hash < mark) std::swap(hash, mark);
    }
  });
  return least;
}

std::string_view path_of(const ToolResult& result) {
  std::string_view path = result.subject;
  while (path.starts_with("./")) path.remove_prefix(2);
  return path;
}

std::string because(std::string_view what, const ToolResult& by) {
  std::string why(what);
  return by.recall ? why + " (" + to_string(by.recall) + ")" : why;
}

class Finder {
 public:
  explicit Finder(const Conversation& conversation) {
    const Item* before = nullptr;
    for (std::size_t i = 0; i < conversation.items.size(); ++i) {
      const Item& item = *conversation.items[i];
      std::size_t next = 0;
      for (std::size_t b = 0; b < item.blocks.size(); ++b) {
        if (const auto* result = std::get_if<ToolResult>(&item.blocks[b]))
          see({i, b, result, arguments_of(before, *result, next)});
      }
      before = &item;
    }
  }

  std::vector<Superseded> run() && {
    std::sort(found_.begin(), found_.end(), [](const Superseded& a, const Superseded& b) {
      return std::pair(a.item, a.block) < std::pair(b.item, b.block);
    });
    return std::move(found_);
  }

 private:
  // Results stand in the order of their calls, as a rule: `next` is where to look first.
  static std::string_view arguments_of(const Item* calls, const ToolResult& result, std::size_t& next) {
    const std::size_t size = calls ? calls->blocks.size() : 0;
    for (std::size_t n = 0; n < size; ++n) {
      const std::size_t at = (next + n) % size;
      const auto* call = std::get_if<ToolCall>(&calls->blocks[at]);
      if (!call || call->id != result.call_id) continue;
      next = at + 1;
      return call->arguments;
    }
    return {};
  }

  void see(const Seen& seen) {
    const ToolResult& result = *seen.result;
    if (!result.is_error && !result.subject.empty()) {
      if (reads_files(result.tool)) read(seen);
      if (changes_files(result.tool)) edited(seen);
    }
    if (result.form != ResultForm::compacted && result.text.size() >= least_text) output(seen);
  }

  // A read that is one line itself holds nothing an older one could leave to it.
  void read(const Seen& seen) {
    if (seen.result->form == ResultForm::compacted) return;
    auto& reads = reads_[path_of(*seen.result)];
    const auto why = because("later read again", *seen.result);
    if (!is_part(seen)) {
      for (const auto& [arguments, older] : reads) add(older, why);
      reads.clear();
    } else if (const auto same = reads.find(seen.arguments); same != reads.end()) {
      add(same->second, why);
    }
    reads.insert_or_assign(seen.arguments, seen);
  }

  void edited(const Seen& seen) {
    auto& reads = reads_[path_of(*seen.result)];
    for (const auto& [arguments, older] : reads) add(older, because("later edited", *seen.result));
    reads.clear();
  }

  // The same text again, or nearly the same; of files only the same, since a file and its copy are two.
  void output(const Seen& seen) {
    const auto hash = std::hash<std::string_view>{}(seen.result->text);
    const auto same = texts_.find(hash);
    const bool again = same != texts_.end() && same->second.result->text == seen.result->text;
    if (again) add(same->second, because("the same output came again", *seen.result));
    texts_.insert_or_assign(hash, seen);
    if (reads_files(seen.result->tool)) return;
    outputs_.push_back({seen, {}});
    const std::size_t me = outputs_.size() - 1;
    std::array<std::size_t, marks + 1> older;
    std::size_t n = 0;
    const auto meet = [&](auto& where, const auto& key) {
      const auto [at, fresh] = where.try_emplace(key, me);
      if (!fresh && std::find(older.begin(), older.begin() + n, at->second) == older.begin() + n)
        older[n++] = at->second;
      at->second = me;
    };
    meet(commands_, std::pair<std::string_view, std::string_view>(seen.result->tool, seen.result->subject));
    for (const auto mark : marks_of(seen.result->text))
      if (mark != ~std::uint64_t{0}) meet(marks_, mark);
    for (std::size_t i = 0; i < n && !again; ++i) near_duplicate(outputs_[older[i]], outputs_[me]);
  }

  struct Output {
    Seen seen;
    std::optional<Sketch> sketch;
  };
  static const Sketch& sketch_of(Output& output) {
    if (!output.sketch) output.sketch = sketch(output.seen.result->text);
    return *output.sketch;
  }

  void near_duplicate(Output& older, Output& newer) {
    const auto [small, large] = std::minmax({older.seen.result->text.size(), newer.seen.result->text.size()});
    if (static_cast<double>(small) < like_size * static_cast<double>(large)) return;
    const double share = similarity(sketch_of(older), sketch_of(newer));
    if (share < near_duplicate_share) return;
    add(older.seen, because("came again, " + std::to_string(static_cast<int>(share * 100)) + "% the same",
                            *newer.seen.result));
  }

  void add(const Seen& older, std::string why) {
    if (older.result->form == ResultForm::compacted || !known_.insert(older.result).second) return;
    found_.push_back({older.item, older.block, std::move(why)});
  }

  std::unordered_map<std::string_view, std::unordered_map<std::string_view, Seen>>
      reads_;  // by path and arguments
  std::unordered_map<std::size_t, Seen> texts_;
  std::vector<Output> outputs_;  // of all tools but those that read files
  std::map<std::pair<std::string_view, std::string_view>, std::size_t>
      commands_;                                          // the newest of them, by tool and subject
  std::unordered_map<std::uint64_t, std::size_t> marks_;  // and by its marks
  std::vector<Superseded> found_;
  std::unordered_set<const ToolResult*> known_;  // what was found, each once
};

}  // namespace

std::vector<Superseded> superseded_results(const Conversation& conversation) {
  return Finder(conversation).run();
}

Edits superseded(const Conversation& conversation, const Budget& budget) {
  const auto keep = protected_items(conversation, budget.config);
  Edits edits;
  for (const auto& old : superseded_results(conversation)) {
    if (keep[old.item]) continue;
    const Item& item = *conversation.items[old.item];
    auto result = std::get<ToolResult>(item.blocks[old.block]);
    const Tokens before = estimate(item.blocks[old.block]);
    result.text = compacted_line(result, old.why);
    result.form = ResultForm::compacted;
    const Tokens gain = before - estimate(Block{result});
    if (gain > 0)
      edits.push_back(
          {item.id, Replace{old.block, std::move(result)}, {Tier::micro, "superseded", old.why}, gain});
  }
  return edits;
}

constinit const Strategy superseded_strategy{
    "superseded", "one line for results that later ones made worthless", superseded};

}  // namespace tern
