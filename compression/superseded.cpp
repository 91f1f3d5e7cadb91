#include "compression/superseded.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "compression/blocks.h"
#include "compression/describe.h"
#include "compression/similarity.h"
#include "compression/strategy.h"
#include "compression/tokens.h"
#include "compression/tool_kinds.h"

namespace tern {

namespace {

constexpr std::size_t least_text = 200;  // bytes; shorter results are not worth a line
constexpr double near_duplicate = 0.9;   // share of common shingles
constexpr double like_size = 0.75;       // near-duplicates are of like size

struct Seen {
  std::size_t item, block;
  const ToolResult* result;
  std::string_view arguments;
};

bool is_part(const Seen& read) {
  return read.arguments.find("\"offset\"") != read.arguments.npos || read.arguments.find("\"limit\"") != read.arguments.npos;
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
      for (std::size_t b = 0; b < item.blocks.size(); ++b) {
        if (const auto* result = std::get_if<ToolResult>(&item.blocks[b])) see({i, b, result, arguments_of(before, *result)});
      }
      before = &item;
    }
  }

  std::vector<Superseded> run() && {
    std::sort(found_.begin(), found_.end(),
              [](const Superseded& a, const Superseded& b) { return std::pair(a.item, a.block) < std::pair(b.item, b.block); });
    return std::move(found_);
  }

 private:
  static std::string_view arguments_of(const Item* calls, const ToolResult& result) {
    if (!calls) return {};
    for (const auto& block : calls->blocks) {
      const auto* call = std::get_if<ToolCall>(&block);
      if (call && call->id == result.call_id) return call->arguments;
    }
    return {};
  }

  void see(const Seen& seen) {
    const ToolResult& result = *seen.result;
    if (!result.is_error && !result.subject.empty()) {
      if (result.tool == "Read") read(seen);
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

  // The same text again, or nearly the same from the same command.
  void output(const Seen& seen) {
    const auto hash = std::hash<std::string_view>{}(seen.result->text);
    if (const auto same = texts_.find(hash); same != texts_.end() && same->second.result->text == seen.result->text) {
      add(same->second, because("the same output came again", *seen.result));
    } else if (seen.result->tool != "Read") {
      near_duplicate_of(seen);
    }
    texts_.insert_or_assign(hash, seen);
    if (seen.result->tool != "Read") commands_.insert_or_assign({seen.result->tool, seen.result->subject}, seen);
  }

  void near_duplicate_of(const Seen& seen) {
    const auto older = commands_.find({seen.result->tool, seen.result->subject});
    if (older == commands_.end()) return;
    const auto [small, large] = std::minmax({older->second.result->text.size(), seen.result->text.size()});
    if (static_cast<double>(small) < like_size * static_cast<double>(large)) return;
    const double share = similarity(older->second.result->text, seen.result->text);
    if (share < near_duplicate) return;
    add(older->second, because("came again, " + std::to_string(static_cast<int>(share * 100)) + " % the same", *seen.result));
  }

  void add(const Seen& older, std::string why) {
    if (older.result->form == ResultForm::compacted || !known_.insert(older.result).second) return;
    found_.push_back({older.item, older.block, std::move(why)});
  }

  std::unordered_map<std::string_view, std::unordered_map<std::string_view, Seen>> reads_;  // by path and arguments
  std::unordered_map<std::size_t, Seen> texts_;
  std::map<std::pair<std::string_view, std::string_view>, Seen> commands_;
  std::vector<Superseded> found_;
  std::unordered_set<const ToolResult*> known_;  // what was found, each once
};

}  // namespace

std::vector<Superseded> superseded_results(const Conversation& conversation) { return Finder(conversation).run(); }

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
    if (gain > 0) edits.push_back({item.id, Replace{old.block, std::move(result)}, {Tier::micro, "superseded", old.why}, gain});
  }
  return edits;
}

constinit const Strategy superseded_strategy{"superseded", "one line for results that later ones made worthless", superseded};

}  // namespace tern
