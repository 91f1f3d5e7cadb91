#include "agent/tool_calls.h"

#include <catch2/catch_test_macros.hpp>

#include "agent/redact.h"
#include "tests/agent/turn_rig.h"

using namespace tern;
using test::call;
using test::Rig;

namespace {

std::string read_of(const Rig& rig, const char* name) { return R"({"file_path":")" + (rig.root / name).string() + R"("})"; }

std::string result_of(const Rig& rig, const std::string& call_id) {
  for (const auto& item : rig.context.conversation.items)
    for (const auto& block : item->blocks)
      if (const auto* result = std::get_if<ToolResult>(&block); result && result->call_id == call_id) return result->text;
  return "(none)";
}

}  // namespace

TEST_CASE("a re-read is answered whole when the first result went into the context cut") {
  Rig rig;
  std::string lines;
  for (int i = 0; i < 1200; ++i) lines += "line " + std::to_string(i) + " of a file that is too long to be shown whole\n";
  rig.write("long.txt", lines);
  rig.write("short.txt", "one\n");
  rig.script
      .then(test::calls({call("long1", "Read", read_of(rig, "long.txt")), call("short1", "Read", read_of(rig, "short.txt"))}))
      .then(test::calls({call("long2", "Read", read_of(rig, "long.txt")), call("short2", "Read", read_of(rig, "short.txt"))}))
      .then(test::says("done"));
  rig.turn("read both twice");
  CHECK(result_of(rig, "long1").find("line 600 ") == std::string::npos);  // cut in the middle
  CHECK(result_of(rig, "short2").rfind("File unchanged", 0) == 0);
  CHECK(result_of(rig, "long2").rfind("File unchanged", 0) != 0);
}

TEST_CASE("what the cut took from a short result can be called back") {
  Rig rig;
  rig.context.config.snip_halves = true;
  rig.context.config.max_tool_output = 300;
  std::string lines;
  for (int i = 1; i <= 100; ++i) lines += "line " + std::to_string(i) + "\n";
  rig.write("short.txt", lines);
  rig.script.then(test::calls({call("short", "Read", read_of(rig, "short.txt"))})).then(test::says("done"));
  rig.turn("read it");
  const auto shown = result_of(rig, "short");
  REQUIRE(shown.find("line 50\n") == std::string::npos);
  const auto id = RecallId{static_cast<std::uint32_t>(std::stoul(shown.substr(shown.rfind("recall r") + 8)))};
  CHECK(rig.store->text(id).value_or("").find("\n50\tline 50\n") != std::string::npos);
  CHECK(rig.store->text(id).value_or("recall r").find("recall r") == std::string::npos);
}

TEST_CASE("a key in use that a tool meets reaches neither the log nor an event, however large the output is") {
  const std::string key = "canary-key-in-use-0123456789";
  register_secret(key);
  Rig rig;
  std::string lines;
  for (int i = 0; i < 60'000; ++i) lines += "line " + std::to_string(i) + " of a large file with some words in it\n";
  rig.write("large.txt", lines + "KEY=" + key + "\n" + lines);
  rig.write("small.txt", "first\nKEY=" + key + "\nlast\n");
  const auto small = (rig.root / "small.txt").string();
  rig.script
      .then(test::calls({call("b", "Bash", R"({"command":"cat large.txt"})"), call("r", "Read", read_of(rig, "small.txt"))}))
      .then(test::calls({call("e", "Edit", R"({"file_path":")" + small + R"(","old_string":"last","new_string":"end"})")}))
      .then(test::says("done"));
  CHECK(rig.turn("go").how == TurnEnded::How::done);
  for (const auto& one : rig.store->originals()) CHECK_FALSE(holds_secret(rig.store->text(one.id).value_or("")));
  const auto large = rig.root / "large.txt";
  redact_file(large);
  CHECK(std::filesystem::file_size(large) == 2 * lines.size() + std::string("KEY=[secret]\n").size());
  std::size_t changed = 0;
  for (const auto& cell : rig.seen<ToolFinished>()) {
    CHECK_FALSE(holds_secret(cell.text + cell.diff + cell.subject + cell.note));
    changed += !cell.diff.empty();
  }
  CHECK(changed == 1);
  for (const auto& progress : rig.seen<ToolProgress>()) CHECK_FALSE(holds_secret(progress.tail));
}
