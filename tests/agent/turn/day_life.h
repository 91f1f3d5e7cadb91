// One life of the day of work: what the program does that goes on from wherever the store stands.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "agent/turn/turn.h"
#include "compression/text/sha256.h"
#include "tests/agent/turn/day_provider.h"
#include "tests/agent/turn/turn_rig.h"

namespace tern::test::day_of_work {

// What the tools of the turn said, as it will have to be recalled; then the screen forgets it.
inline void note_originals(Rig& rig, std::ofstream& hashes) {
  for (const auto& event : rig.events)
    if (const auto* done = std::get_if<ToolFinished>(&event); done && done->recall)
      hashes << done->recall.value << ' ' << sha256(done->text) << '\n';
  hashes.flush();
  rig.events.clear();
}

// The child: goes on from wherever the store stands; says each finished turn on the pipe.
inline int live(const Day& day, int from, int to, int pipe) {
  Rig rig(day.window, day.folder);
  Clock clock;
  std::ofstream hashes(day.folder / "hashes", std::ios::app);
  clock.drafting = [&] { return rig.compactor.draft_pending(); };
  rig.connect = [&] { return std::make_unique<DayProvider>(day, clock, rig.root); };
  rig.provider = rig.connect();
  rig.context.config.small_model = "small";
  rig.connect_to = [&](const ModelInfo& model) {
    return std::make_unique<DayProvider>(day, clock, rig.root, model.name == "small");
  };
  if (from > 0) rig.compactor.resumed(rig.context);
  for (int i = 0; from == 0 && i < 2; ++i) rig.compactor.pin(rig.context, {pins[i], true});
  for (int turn = from; turn < to; ++turn) {
    clock.turn = turn;
    rig.context.config.micro_at = day.wants_summaries(turn) ? 0.79 : 0.60;
    rig.write("f" + std::to_string(turn) + ".txt", words(static_cast<unsigned>(turn), day.words));
    const auto end = rig.turn(prompt_of(turn));
    if (end.how != TurnEnded::How::done || !clock.bad.empty()) {
      std::fprintf(stderr, "turn %d: %s%s\n", turn, end.error.c_str(), clock.bad.c_str());
      return 2;
    }
    rig.compactor.keep_draft(rig.context);
    note_originals(rig, hashes);
    std::error_code ignored;
    std::filesystem::remove(rig.root / ("f" + std::to_string(turn) + ".txt"), ignored);
    const auto line = std::to_string(turn) + ' ' + std::to_string(rss_kb()) + ' ' +
                      std::to_string(clock.refused) + ' ' + std::to_string(clock.overflows) + ' ' +
                      std::to_string(clock.sent) + ' ' + std::to_string(rig.compactor.swapped()) + ' ' +
                      std::to_string(rig.compactor.forced_pauses()) + '\n';
    if (::write(pipe, line.data(), line.size()) < 0) return 4;
  }
  return 0;
}

}  // namespace tern::test::day_of_work
