#include "app/session/run_account.h"

#include "compression/text/figures.h"

namespace tern {

void RunAccount::put(Part part) {
  std::erase_if(parts_, [&](const Part& one) { return one.session == part.session; });
  parts_.push_back(std::move(part));
}

void RunAccount::forget_turns() {
  if (!parts_.empty()) parts_.back().turns = 0;
}

std::string RunAccount::text(bool resumable) const {
  Part all;
  std::string ways;  // to the newest session first
  for (const Part& one : parts_) {
    all.turns += one.turns;
    all.compactions += one.compactions;
    all.used.input += one.used.input + one.used.cache_read + one.used.cache_write;
    all.used.output += one.used.output;
    all.used.dollars += one.used.dollars;
    if (!resumable || one.turns == 0) continue;
    ways = " tern --resume " + one.session + (ways.empty() ? "" : "\nbefore it:   " + ways);
  }
  auto text = std::to_string(all.turns) + (all.turns == 1 ? " turn · " : " turns · ") +
              thousands(all.used.input) + " tokens in, " + thousands(all.used.output) + " out";
  if (all.used.dollars > 0) text += " · " + money(all.used.dollars);
  if (all.compactions)
    text += " · " + std::to_string(all.compactions) + (all.compactions == 1 ? " compaction" : " compactions");
  return text + (ways.empty() ? "" : "\nresume with:" + ways);
}

}  // namespace tern
