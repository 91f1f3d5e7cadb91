// The provider of a scripted day of work (day_of_work.h): what a turn asks for, and what a model of a small
// window refuses.
#pragma once

#include <algorithm>
#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "compression/values/check.h"
#include "tests/agent/turn/turn_rig.h"

namespace tern::test {

struct Day {
  int turns = 200;
  Tokens window = 64'000;
  int words = 420;  // of a listing
  std::filesystem::path folder;
  // Shortened results are enough for most of the day; here only summaries are.
  bool wants_summaries(int turn) const { return turn >= turns / 6 && turn < turns * 2 / 3; }
  // An hour without the small model; in its second half the main one writes no summaries either.
  bool small_model_fails(int turn) const { return turn >= turns / 4 && turn < turns / 2; }
  bool main_model_fails(int turn) const { return turn >= turns * 3 / 8 && turn < turns / 2; }
  bool refuses(int turn) const { return turn == turns * 5 / 8; }
};

namespace day_of_work {

inline constexpr int lives = 6;
inline constexpr const char* pins[] = {"The answer to everything is pinned-42.",
                                       "Never touch magic-4711.cfg \u2014 nie \u6c38\u8fdc."};

inline std::string words(unsigned seed, int count) {
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0; i < count; ++i)
    text += "src/m" + std::to_string(random() % 900) + "/f" + std::to_string(random() % 9'000) +
            (i % 6 == 5 ? ".cpp:12\n" : ".h ");
  return text;
}

inline std::string prompt_of(int turn) {
  return "Task number " + std::to_string(turn) + ": look at the listing and remember value " +
         std::to_string(turn * 7919) + ".";
}

inline long rss_kb() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("VmRSS:", 0) == 0) return std::strtol(line.c_str() + 6, nullptr, 10);
  return 0;
}

// Where a life stands; its providers share it.
struct Clock {
  std::atomic<int> turn = 0;  // a draft in the background asks, too
  int refused = 0, overflows = 0;
  Tokens sent = 0;
  bool refused_once = false;
  std::string bad;
  std::function<bool()> drafting;  // a summary is being written in the background
  int drafting_since = 0;          // requests
};

// Each turn: one listing read, then an answer. Refuses what is too long, as a real provider does.
class DayProvider : public Provider {
 public:
  DayProvider(const Day& day, Clock& clock, std::filesystem::path root, bool small = false)
      : day_(day), clock_(clock), root_(std::move(root)), small_(small) {}

  void stream(const Request& request, const Sink& sink, std::stop_token) override {
    if (!request.may_call_tools) return summary(sink);
    if (auto problems = check(request.conversation); !problems.empty()) clock_.bad = problems.front().what;
    const auto tokens = count(request.conversation) + 30;
    if (tokens > day_.window || (day_.refuses(clock_.turn) && !std::exchange(clock_.refused_once, true))) {
      ++(tokens > day_.window ? clock_.refused : clock_.overflows);
      return sink(Failed{Failure::overflow, "prompt is too long", day_.window,
                         std::max(tokens, day_.window + 1), 400});
    }
    clock_.sent += tokens;
    think();
    sink(UsageReport{{tokens, 80, 0, 0}});
    const auto& last = *request.conversation.items.back();
    const bool answered = std::any_of(last.blocks.begin(), last.blocks.end(), [](const Block& block) {
      return std::holds_alternative<ToolResult>(block);
    });
    if (answered || last.synthetic) {
      sink(BlockDone{Text{"Task " + std::to_string(clock_.turn) + " is done. " +
                          words(static_cast<unsigned>(clock_.turn) + 50'000, 120)}});
      return sink(Finished{StopReason::end});
    }
    const auto name = "f" + std::to_string(clock_.turn) + ".txt";
    sink(BlockDone{call("c" + std::to_string(last.id.value), "Read",
                        R"({"file_path":")" + (root_ / name).string() + R"("})")});
    sink(Finished{StopReason::tools});
  }

 private:
  // A model takes seconds for each answer, and a draft's model no longer than two of them, however busy the
  // machine.
  void think() const {
    const bool long_enough = clock_.drafting() && ++clock_.drafting_since >= 2;
    while (long_enough && clock_.drafting()) std::this_thread::yield();
    if (!clock_.drafting()) clock_.drafting_since = 0;
  }

  void summary(const Sink& sink) const {
    if (small_ && day_.small_model_fails(clock_.turn))
      return sink(Failed{Failure::server, "the small model is down", 0, 0, 500});
    if (!small_ && day_.main_model_fails(clock_.turn))
      return sink(Failed{Failure::overloaded, "no summaries now", 0, 0, 529});
    sink(UsageReport{{4'000, 60, 0, 0}});
    sink(
        BlockDone{Text{"<summary>\n1. Primary Request and Intent: numbered tasks.\n7. Pending Tasks: the "
                       "next number\n8. Current Work: task " +
                       std::to_string(clock_.turn) + "\n</summary>"}});
    sink(Finished{StopReason::end});
  }

  const Day& day_;
  Clock& clock_;
  std::filesystem::path root_;
  bool small_;
};

}  // namespace day_of_work
}  // namespace tern::test
