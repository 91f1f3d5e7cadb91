#include "agent/audit.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compression/names.h"

namespace tern {
namespace {

struct Found {
  std::string text;
  NameKind kind;
  RecallId recall;
};
using Specifics = std::unordered_map<std::uint64_t, Found>;

const char* kind_name(NameKind kind) {
  switch (kind) {
    case NameKind::url: return "url";
    case NameKind::path: return "path";
    case NameKind::file: return "file";
    case NameKind::place: return "place";
    case NameKind::ident: return "identifier";
    case NameKind::flag: return "flag";
    case NameKind::number: return "number";
    case NameKind::command: return "command";
    case NameKind::error: return "error";
  }
  return "name";
}

template <class Visit>
void each_name(std::string_view text, Escapes escapes, Visit visit) {
  std::vector<Name> names;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    names.clear();
    scan_names(line, escapes, names);
    if (reports_error(line)) scan_error_runs(line, names);
    for (const auto& name : names) visit(name);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

template <class Visit>
void each_text(const Item& item, Visit visit) {
  for (const auto& block : item.blocks)
    std::visit(overloaded{[&](const Text& b) { visit(b.text, Escapes::plain, item.recall); },
                          [&](const ToolCall& b) { visit(b.arguments, Escapes::json, item.recall); },
                          [&](const ToolResult& b) { visit(b.text, Escapes::plain, b.recall); },
                          [&](const Summary& b) { visit(b.text, Escapes::plain, item.recall); }, [](const auto&) {}},
               block);
}

}  // namespace

LossAudit audit_loss(const Conversation& before, const Conversation& after) {
  std::unordered_set<const Item*> staying;
  for (const auto& item : after.items) staying.insert(item.get());
  Specifics gone;  // what stood in items that were changed or left
  for (const auto& item : before.items) {
    if (staying.count(item.get())) continue;
    each_text(*item, [&](const std::string& text, Escapes escapes, RecallId recall) {
      each_name(text, escapes, [&](const Name& name) {
        auto& found = gone.try_emplace(key_of(name), Found{std::string(name.text), name.kind, recall}).first->second;
        if (!found.recall) found.recall = recall;
      });
    });
  }
  LossAudit audit;
  const auto total = gone.size();
  for (const auto& item : after.items) {
    each_text(*item, [&](const std::string& text, Escapes escapes, RecallId) {
      each_name(text, escapes, [&](const Name& name) { gone.erase(key_of(name)); });
    });
    if (gone.empty()) break;
  }
  audit.kept = total - gone.size();
  for (const auto& [key, found] : gone) {
    auto line = std::string(kind_name(found.kind)) + "  " + found.text;
    if (found.recall)
      audit.reachable.push_back(line + "  " + to_string(found.recall));
    else
      audit.dropped.push_back(std::move(line));
  }
  audit.by_recall = audit.reachable.size();
  audit.lost = audit.dropped.size();
  std::sort(audit.reachable.begin(), audit.reachable.end());
  std::sort(audit.dropped.begin(), audit.dropped.end());
  return audit;
}

std::string LossAudit::line() const {
  return "kept " + std::to_string(kept) + " of " + std::to_string(kept + by_recall + lost) + " specifics, " +
         std::to_string(by_recall) + " by recall, " + std::to_string(lost) + " lost";
}

std::string LossAudit::full() const {
  std::string text = line() + '\n';
  const auto list = [&](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    text += std::string("\n") + title + '\n';
    for (const auto& line : lines) text += "- " + line + '\n';
  };
  list("By recall:", reachable);
  list("Lost:", dropped);
  return text;
}

}  // namespace tern
