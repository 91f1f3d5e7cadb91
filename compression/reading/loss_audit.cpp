#include "compression/reading/loss_audit.h"

#include <algorithm>
#include <unordered_set>

#include "compression/text/lines.h"
#include "compression/text/names.h"
#include "compression/text/sentences.h"
#include "compression/values/blocks.h"

namespace tern {
namespace {

// Every specific as it may stand in a text; for the audit.
std::string text_of(const Conversation& conversation) {
  std::string all;
  for (const auto& item : conversation.items) {
    for (const auto& block : item->blocks) {
      if (const auto* b = std::get_if<Text>(&block))
        all += b->text;
      else if (const auto* b2 = std::get_if<ToolCall>(&block))
        all += b2->arguments;
      else if (const auto* b3 = std::get_if<ToolResult>(&block))
        (all += b3->subject + "\n") += b3->text;
      else if (const auto* b4 = std::get_if<Summary>(&block))
        all += b4->text;
      all += '\n';
    }
  }
  return all;
}

// "12 of 20 sentences kept, 8 on recall, none lost"
std::string fates(std::size_t kept, std::size_t reachable, std::size_t dropped, const char* what) {
  return std::to_string(kept) + " of " + std::to_string(kept + reachable + dropped) + " " + what + " kept, " +
         std::to_string(reachable) + " on recall, " + (dropped == 0 ? "none" : std::to_string(dropped)) +
         " lost";
}

// What became of the assistant's own sentences: word for word in the context, or not.
Sentences answers_kept(const Conversation& before, const Conversation& after) {
  std::unordered_set<std::uint64_t> there;
  const auto note = [&](std::string_view text) {
    for (const auto sentence : sentences_in(text)) there.insert(hash_text(sentence));
  };
  for (const auto& item : after.items) {
    for (const auto* text : blocks_of<Text>(*item)) note(text->text);
    for (const auto* summary : blocks_of<Summary>(*item)) note(summary->text);
  }
  Sentences fate;
  for (const auto& item : before.items) {
    if (item->role != Role::assistant) continue;
    for (const auto* text : blocks_of<Text>(*item))
      for (const auto sentence : sentences_in(text->text))
        ++(there.count(hash_text(sentence)) ? fate.kept : item->recall ? fate.reachable : fate.dropped);
  }
  return fate;
}

}  // namespace

std::string LossReport::line() const {
  const bool said = answers.kept + answers.reachable + answers.dropped > 0;
  return fates(kept, reachable, dropped, "details") +
         (said ? "; answers: " + fates(answers.kept, answers.reachable, answers.dropped, "sentences") : "");
}

LossReport audit(const Conversation& before, const Conversation& after) {
  std::unordered_set<std::uint64_t> there;
  for (const auto& fact : facts_of(after, Specifics::all)) there.insert(hash_text(fact.text));
  const auto text = text_of(after);
  std::vector<Name> names;
  each_line_of(text, [&](std::string_view line) {
    names.clear();
    scan_names(line, Escapes::plain, names);
    for (const auto& name : names) there.insert(hash_text(name.text));
  });
  // Sentences are looked for in the text itself; names are not, there may be many.
  const auto stands = [&](const Fact& fact) {
    const bool sentence =
        fact.kind == FactKind::rule || fact.kind == FactKind::command || fact.kind == FactKind::error;
    return there.count(hash_text(fact.text)) || (sentence && text.find(fact.text) != text.npos);
  };
  LossReport report;
  report.answers = answers_kept(before, after);
  for (auto& fact : facts_of(before, Specifics::all)) {
    if (stands(fact)) {
      ++report.kept;
      report.stays.push_back(std::move(fact));
      continue;
    }
    ++(fact.recall ? report.reachable : report.dropped);
    report.lost.emplace_back(fact.recall ? Fate::reachable : Fate::dropped, std::move(fact));
  }
  std::stable_sort(report.lost.begin(), report.lost.end(),
                   [](const auto& a, const auto& b) { return a.second.need > b.second.need; });
  return report;
}

}  // namespace tern
