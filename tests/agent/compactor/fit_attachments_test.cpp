// Sessions full of pictures and documents go on: no request holds more than the provider takes, whatever the
// turn is about, and the newest of them are there.
#include <algorithm>
#include <catch2/generators/catch_generators.hpp>

#include "compression/plan/attachments.h"
#include "tests/agent/turn/long_work.h"

using namespace tern;
using test::Rig;

namespace {

constexpr std::size_t mb = 1u << 20;

// As a prompt brings them.
TurnEnded show(Rig& rig, const std::string& text, std::vector<Attachment> files) {
  rig.compactor.new_turn(rig.agent.turn + 1);
  return run_turn(rig.agent, Submit{text, std::move(files), When::steer}, {});
}

std::vector<Attachment> documents(int n, std::size_t bytes) {
  std::vector<Attachment> files;
  for (int i = 0; i < n; ++i)
    files.push_back({"d.pdf", "application/pdf", "%PDF-1.7 " + std::to_string(i) + std::string(bytes, 'd')});
  return files;
}

// What one request carried at most.
AttachmentLoad most_sent(const Rig& rig) {
  AttachmentLoad most;
  for (const auto& request : rig.script.requests()) {
    const auto load = attachments_of(request.conversation);
    most.count = std::max(most.count, load.count);
    most.bytes = std::max(most.bytes, load.bytes);
  }
  return most;
}

void answer_everything(Rig& rig) {
  rig.context.model.provider = "anthropic";
  test::with_summaries(rig);
  rig.script.otherwise([](const Request&) { return test::says("Seen."); });
}

}  // namespace

TEST_CASE("a session with 150 pictures goes on, prompt after prompt, and one undo brings the last cut back") {
  Rig rig(200'000);
  answer_everything(rig);
  for (int i = 0; i < 15; ++i) {
    std::vector<Attachment> files;
    for (int k = 0; k < 10; ++k)
      files.push_back({"p.png", "image/png", "\x89PNG " + std::to_string(i * 10 + k)});
    REQUIRE(show(rig, "prompt " + std::to_string(i), std::move(files)).how == TurnEnded::How::done);
    const auto sent = rig.script.requests().back().conversation;
    const auto newest = std::find_if(sent.items.rbegin(), sent.items.rend(),
                                     [](const ItemPtr& item) { return item->role == Role::user; });
    REQUIRE(newest != sent.items.rend());
    CHECK(std::holds_alternative<Image>((*newest)->blocks[0]));
  }
  CHECK(most_sent(rig).count <= 100);
  CHECK(rig.bad_request() == "");
  const auto left = attachments_of(rig.context.conversation).count;
  rig.compactor.undo(rig.context, {1, {}});
  CHECK(attachments_of(rig.context.conversation).count > left);
}

TEST_CASE("a session with 40 MB of documents goes on, in one prompt or in many") {
  const bool at_once = GENERATE(true, false);
  Rig rig(200'000);
  answer_everything(rig);
  if (at_once) REQUIRE(show(rig, "Read these.", documents(20, 2 * mb)).how == TurnEnded::How::done);
  for (int i = 0; !at_once && i < 20; ++i) {
    INFO(i);
    REQUIRE(show(rig, "Read this.", documents(1, 2 * mb)).how == TurnEnded::How::done);
    CHECK(attachments_of(rig.script.requests().back().conversation).count >= 1);
  }
  CHECK(most_sent(rig).bytes <= 20 * mb);
  CHECK(rig.bad_request() == "");
  REQUIRE(rig.turn("And now?").how == TurnEnded::How::done);
}

TEST_CASE("one document that no request takes is said in a line, and the prompt is answered") {
  Rig rig(200'000);
  answer_everything(rig);
  REQUIRE(show(rig, "What is in it?", documents(1, 40 * mb)).how == TurnEnded::How::done);
  CHECK(most_sent(rig).count == 0);
  const auto request = rig.script.requests().back();
  CHECK(std::any_of(request.conversation.items.begin(), request.conversation.items.end(),
                    [](const ItemPtr& item) {
                      const auto* text = std::get_if<Text>(&item->blocks[0]);
                      return text && text->text.find("a document of 40 MB") != std::string::npos;
                    }));
}
