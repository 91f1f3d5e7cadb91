// Long work in a small window: turns in which the model reads a file each, and what can be asked about them
// afterwards.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/agent/turn/turn_rig.h"

namespace tern::test {

// Text no two of which are alike, so that nothing is superseded or collapsed.
inline std::string prose(unsigned seed, int words) {
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0; i < words; ++i)
    text += "w" + std::to_string(random() % 100'000) + (i % 12 == 11 ? '\n' : ' ');
  return text;
}

inline constexpr const char* good_summary =
    "<analysis>thinking</analysis>\n<summary>\n1. Primary Request and Intent: go on with the work.\n2. Key "
    "Technical Concepts: "
    "none.\n"
    "3. Files and Code Sections: f1.txt\n4. Errors and fixes: none\n5. Problem Solving: none\n6. All user "
    "messages: see above\n"
    "7. Pending Tasks: the rest\n8. Current Work: reading\n9. Optional Next Step: read on\n</summary>";

inline void with_summaries(Rig& rig) {
  rig.script.summaries([](const Request&) { return says(good_summary, {500, 100}); });
}

// Turns in which the model reads one file each and then answers; it thinks as long as a draft under way
// takes.
inline void work(Rig& rig, int turns, int words = 900, int from = 0) {
  for (int i = from; i < from + turns; ++i) {
    const auto name = "f" + std::to_string(i) + ".txt";
    rig.write(name, prose(static_cast<unsigned>(i), words));
    auto reads = calls(
        {call("c" + std::to_string(i), "Read", R"({"file_path":")" + (rig.root / name).string() + R"("})")});
    auto tells = says("Read it. " + prose(static_cast<unsigned>(i) + 7'000, 40));
    reads.before = tells.before = [&rig](const Request&) {
      while (rig.compactor.draft_pending()) std::this_thread::yield();
    };
    rig.script.then(std::move(reads)).then(std::move(tells));
    const auto end = rig.turn("Please look at " + name + " and tell me about it.");
    REQUIRE(end.how == TurnEnded::How::done);
  }
}

inline double fullest(const Rig& rig) {
  double most = 0;
  for (const auto& request : rig.script.requests())
    if (request.may_call_tools)
      most = std::max(most, static_cast<double>(count(request.conversation) + rig.context.fixed()) /
                                static_cast<double>(request.window));
  return most;
}

inline std::vector<Compaction> phases(const Rig& rig, CompactionPhase phase) {
  std::vector<Compaction> found;
  for (const auto& event : rig.seen<Compaction>())
    if (event.phase == phase) found.push_back(event);
  return found;
}

// Different prompts of the person that still stand word for word somewhere in the context.
inline std::size_t prompts(const Conversation& conversation) {
  std::set<std::string> found;
  const auto collect = [&](const std::string& text) {
    constexpr std::string_view mark = "Please look at ";
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1))
      found.insert(text.substr(at, text.find(' ', at + mark.size()) - at));
  };
  for (const auto& item : conversation.items)
    for (const auto& block : item->blocks) {
      if (const auto* text = std::get_if<Text>(&block)) collect(text->text);
      if (const auto* summary = std::get_if<Summary>(&block)) collect(summary->text);
    }
  return found.size();
}

}  // namespace tern::test
