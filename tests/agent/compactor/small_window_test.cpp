// The windows of small local models: what is asked stands whole in every request, to the end of a long
// conversation.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/agent/turn/long_work.h"

using namespace tern;
using test::call;
using test::calls;
using test::Rig;
using test::says;

namespace {

std::string source(int n) {
  std::string text;
  for (int i = 0; i < 90; ++i) {
    const auto name = "step_" + std::to_string(n) + "_" + std::to_string(i);
    text += "int " + name + "(int value) { return value * " + std::to_string(i * 7 + n) + "; }\n";
  }
  return text;
}

// Every fourth request is a long one.
std::string request(int turn) {
  std::string text =
      "Change number " + std::to_string(turn) + ": rename step_" + std::to_string(turn) + "_3 and test it.";
  if (turn % 4 != 3) return text;
  for (int rule = 0; rule < 40; ++rule)
    text += "\nRule " + std::to_string(turn) + "-" + std::to_string(rule) + ": keep the tests of part " +
            std::to_string(rule) + " green.";
  return text;
}

// Reads a file, changes it, runs its tests, reports.
void change(Rig& rig, int turn) {
  const auto id = [&](const char* what) { return what + std::to_string(turn); };
  const auto path = (rig.root / ("part" + std::to_string(turn) + ".cpp")).string();
  rig.write("part" + std::to_string(turn) + ".cpp", source(turn));
  const auto old = "step_" + std::to_string(turn) + "_3(";
  const auto wait = [&rig](const Request&) {
    while (rig.compactor.draft_pending()) std::this_thread::yield();
  };
  auto read = calls({call(id("r"), "Read", R"({"file_path":")" + path + R"("})")});
  auto edit = calls({call(id("e"), "Edit",
                          R"({"file_path":")" + path + R"(","old_string":")" + old +
                              R"(","new_string":"renamed_)" + std::to_string(turn) + R"(("})")});
  auto test = calls({call(id("b"), "Bash",
                          R"({"command":"for i in $(seq 1 60); do echo case $i of part )" +
                              std::to_string(turn) + R"( passed; done"})")});
  auto told =
      says("Renamed because the old name hid what it does. " + test::prose(static_cast<unsigned>(turn), 30));
  read.before = edit.before = test.before = told.before = wait;
  rig.script.then(std::move(read)).then(std::move(edit)).then(std::move(test)).then(std::move(told));
  REQUIRE(rig.turn(request(turn)).how == TurnEnded::How::done);
}

bool holds(const Conversation& conversation, const std::string& words) {
  for (const auto& item : conversation.items) {
    for (const auto& block : item->blocks) {
      const auto* text = std::get_if<Text>(&block);
      if (text && item->role == Role::user && text->text.find(words) != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("forty turns of coding in the windows of small models, with the request in hand whole") {
  for (const Tokens window : {8'000, 16'000}) {
    Rig rig(window);
    rig.context.model.max_output = 2'000;
    test::with_summaries(rig);
    std::size_t sent = 0;
    for (int turn = 0; turn < 40; ++turn) {
      INFO("window " << window << ", turn " << turn);
      change(rig, turn);
      const auto requests = rig.script.requests();
      for (; sent < requests.size(); ++sent) {
        if (!requests[sent].may_call_tools) continue;
        CHECK(holds(requests[sent].conversation, request(turn)));
        CHECK(check(requests[sent].conversation).empty());
      }
    }
    CHECK(test::fullest(rig) < 1.0);
    CHECK(rig.bad_request().empty());
    CHECK_FALSE(test::phases(rig, CompactionPhase::completed).empty());
  }
}
