// Questions of other threads, asked by the owner.
#include "app/session/question_desk.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <thread>

using namespace tern;

TEST_CASE("questions of other threads are asked one after another, and each gets its answer") {
  QuestionDesk desk;
  std::atomic<int> waiting = 0, right = 0;
  const auto asker = [&](const std::string& text) {
    return std::jthread([&, text] {
      const UserAnswer answer =
          desk.ask({.text = text, .options = {}}, {}, [&] { waiting = waiting + 1, waiting.notify_all(); });
      if (answer.text == "to " + text) ++right;
    });
  };
  {
    const auto one = asker("one"), two = asker("two");
    for (int seen = waiting; seen < 2; seen = waiting) waiting.wait(seen);
    int open = 0;
    desk.serve([&](const UserQuestion& question, std::stop_token) {
      CHECK(++open == 1);
      desk.serve([](const UserQuestion&, std::stop_token) {
        return UserAnswer{};
      });  // news while it asks: not again
      --open;
      return UserAnswer{UserAnswer::How::written, "to " + question.text};
    });
  }
  CHECK(right == 2);
  CHECK_FALSE(desk.waiting());
}

TEST_CASE("a question that is stopped or comes too late is refused") {
  QuestionDesk desk;
  std::stop_source stop;
  CHECK(desk.ask({.text = "x", .options = {}}, stop.get_token(), [&] { stop.request_stop(); }).how ==
        UserAnswer::How::refused);
  CHECK_FALSE(desk.waiting());
  CHECK(desk.ask({.text = "y", .options = {}}, {}, [&] { desk.close(); }).how == UserAnswer::How::refused);
  CHECK(desk.ask({.text = "z", .options = {}}, {}, [] {}).how == UserAnswer::How::refused);
}
