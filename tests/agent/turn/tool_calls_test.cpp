#include "agent/turn/tool_calls.h"

#include <catch2/catch_test_macros.hpp>

#include "agent/models/redact.h"
#include "tests/agent/turn/turn_rig.h"

using namespace tern;
using test::call;
using test::Rig;

namespace {

std::string read_of(const Rig& rig, const char* name) {
  return R"({"file_path":")" + (rig.root / name).string() + R"("})";
}

std::string result_of(const Rig& rig, const std::string& call_id) {
  for (const auto& item : rig.context.conversation.items)
    for (const auto& block : item->blocks)
      if (const auto* result = std::get_if<ToolResult>(&block); result && result->call_id == call_id)
        return result->text;
  return "(none)";
}

}  // namespace

TEST_CASE("a re-read is answered whole when the first result went into the context cut") {
  Rig rig;
  std::string lines;
  for (int i = 0; i < 1200; ++i)
    lines += "line " + std::to_string(i) + " of a file that is too long to be shown whole\n";
  rig.write("long.txt", lines);
  rig.write("short.txt", "one\n");
  rig.script
      .then(test::calls({call("long1", "Read", read_of(rig, "long.txt")),
                         call("short1", "Read", read_of(rig, "short.txt"))}))
      .then(test::calls({call("long2", "Read", read_of(rig, "long.txt")),
                         call("short2", "Read", read_of(rig, "short.txt"))}))
      .then(test::says("done"));
  rig.turn("read both twice");
  CHECK(result_of(rig, "long1").find("line 600 ") == std::string::npos);  // cut in the middle
  CHECK(result_of(rig, "short2").rfind("File unchanged", 0) == 0);
  CHECK(result_of(rig, "long2").rfind("File unchanged", 0) != 0);
}

namespace {

std::string numbered_lines(std::size_t bytes) {
  static const char* const words[] = {"alpha", "beta", "gamma", "delta", "epsilon"};
  std::string text;
  for (int i = 1; text.size() < bytes; ++i)
    text += std::string(words[i % 5]) + " step " + std::to_string(i) + " went well\n";
  return text;
}

std::string search_of(const Rig& rig, const std::string& pattern) {
  const auto path = (rig.root / "long.txt").string();
  return R"({"pattern":")" + pattern + R"(","path":")" + path +
         R"(","output_mode":"content","head_limit":5000})";
}

bool shows_the_middle(const std::string& result) {
  return result.find("step 400 went well") != std::string::npos;
}

}  // namespace

TEST_CASE("a result enters whole while the window is mostly free, and is cut once 40 % is used") {
  Rig rig;
  rig.write("long.txt", numbered_lines(18'000));
  rig.script.then(test::calls({call("early", "Grep", search_of(rig, "step"))})).then(test::says("done"));
  rig.turn("look for it");
  const auto whole = result_of(rig, "early");
  CHECK(whole.size() > 24'000);
  CHECK(shows_the_middle(whole));

  rig.context.pending = 80'000;  // of 192,000
  rig.script.then(test::calls({call("late", "Grep", search_of(rig, "step "))})).then(test::says("done"));
  rig.turn("look again");
  const auto late = result_of(rig, "late");
  CHECK_FALSE(shows_the_middle(late));
  REQUIRE(late.find(" recall r") != std::string::npos);
  const RecallId id{static_cast<std::uint32_t>(std::stoul(late.substr(late.find(" recall r") + 9)))};
  CHECK(rig.store->text(id) == whole);
}

TEST_CASE("results of one message count for those after them") {
  Rig rig;
  rig.write("long.txt", numbered_lines(18'000));
  std::vector<ToolCall> many;
  for (int i = 0; i < 14; ++i)
    many.push_back(
        call("c" + std::to_string(i), "Grep", search_of(rig, "(step){1," + std::to_string(i + 1) + "}")));
  rig.script.then(test::calls(many)).then(test::says("done"));
  rig.turn("look for all of them");
  CHECK(shows_the_middle(result_of(rig, "c0")));
  CHECK_FALSE(shows_the_middle(result_of(rig, "c13")));
  CHECK(result_of(rig, "c13").find(" recall r") != std::string::npos);
}

TEST_CASE("a range of a file is whole where the file itself is cut") {
  Rig rig;
  rig.write("long.txt", numbered_lines(55'000));
  const auto path = (rig.root / "long.txt").string();
  rig.script
      .then(test::calls({call("file", "Read", read_of(rig, "long.txt")),
                         call("range", "Read", R"({"file_path":")" + path + R"(","offset":2})")}))
      .then(test::says("done"));
  rig.turn("read it");
  CHECK(result_of(rig, "file").find("step 1000 went well") == std::string::npos);
  CHECK(result_of(rig, "range").find("step 1000 went well") != std::string::npos);
}

TEST_CASE("a recalled file over the limit has the outline of that file, and its bytes are kept") {
  Rig rig;
  std::string text;
  for (int i = 0; text.size() < 50'000; ++i)
    text += "def step" + std::to_string(i) + "(a):\n    return work(a, a, a)\n";
  rig.write("long.py", text);
  rig.script.then(test::calls({call("file", "Read", read_of(rig, "long.py"))})).then(test::says("done"));
  rig.turn("read it");
  const auto shown = result_of(rig, "file");
  REQUIRE(shown.find("[outline of these lines, ") != std::string::npos);
  const auto at = shown.find(" recall r") + 8;
  const auto id = shown.substr(at, shown.find(']', at) - at);
  rig.script.then(test::calls({call("again", "Recall", R"({"id":")" + id + R"("})")}))
      .then(test::says("done"));
  rig.turn("recall it");
  CHECK(result_of(rig, "again") != shown);
  CHECK(result_of(rig, "again").find("[outline of these lines, ") != std::string::npos);
  const auto whole = rig.store->text(parse_recall_id(id)).value_or("");
  CHECK(whole.size() > 45'000);
  CHECK(whole.find("outline of") == std::string::npos);
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

TEST_CASE(
    "a key in use that a tool meets reaches neither the log nor an event, however large the output is") {
  const std::string key = "canary-key-in-use-0123456789";
  register_secret(key);
  Rig rig;
  std::string lines;
  for (int i = 0; i < 60'000; ++i)
    lines += "line " + std::to_string(i) + " of a large file with some words in it\n";
  rig.write("large.txt", lines + "KEY=" + key + "\n" + lines);
  rig.write("small.txt", "first\nKEY=" + key + "\nlast\n");
  const auto small = (rig.root / "small.txt").string();
  rig.script
      .then(test::calls({call("b", "Bash", R"({"command":"cat large.txt"})"),
                         call("r", "Read", read_of(rig, "small.txt"))}))
      .then(test::calls(
          {call("e", "Edit", R"({"file_path":")" + small + R"(","old_string":"last","new_string":"end"})")}))
      .then(test::says("done"));
  CHECK(rig.turn("go").how == TurnEnded::How::done);
  for (const auto& one : rig.store->originals())
    CHECK_FALSE(holds_secret(rig.store->text(one.id).value_or("")));
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

TEST_CASE("a tool added at run time is asked for, shown, snipped and recalled like any other") {
  Rig rig;
  rig.hands.policy.mode = PermissionMode::ask;
  rig.hands.may_ask = true;
  rig.hands.offered.add(
      {.name = "mcp__weather__forecast",
       .description = "Weather of a place.",
       .schema = R"({"type":"object","properties":{"place":{"type":"string"}},"required":["place"]})",
       .effects = Effect::network,
       .aliases = "city=place",
       .run = [](const nlohmann::json&, ToolContext&) { return ToolOutput{.text = numbered_lines(60'000)}; },
       .subject = [](const nlohmann::json& args) { return args.value("place", ""); }});
  rig.commands.push(Answer{1, Verdict::yes_remember, "", 0});
  rig.script.then(test::calls({call("w1", "mcp__weather__forecast", R"({"city":"Bern"})")}))
      .then(test::calls({call("w2", "mcp__weather__forecast", R"({"place":"Basel"})")}))
      .then(test::calls({call("w3", "mcp__weather__forecast", "{}")}))
      .then(test::says("done"));
  rig.turn("how is the weather");
  REQUIRE(rig.seen<PermissionAsked>().size() == 1);  // the second is granted with the first
  CHECK(rig.seen<PermissionAsked>()[0].title.find("Bern") != std::string::npos);
  CHECK(rig.seen<PermissionAsked>()[0].reason == "mcp__weather__forecast reaches the network");
  CHECK(rig.seen<ToolStarted>().size() == 2);
  CHECK(result_of(rig, "w3").find("required parameter `place`") != std::string::npos);
  const auto told = result_of(rig, "w1");
  CHECK_FALSE(shows_the_middle(told));
  REQUIRE(told.find(" recall r") != std::string::npos);
  const RecallId id{static_cast<std::uint32_t>(std::stoul(told.substr(told.find(" recall r") + 9)))};
  CHECK(shows_the_middle(rig.store->text(id).value_or("")));

  rig.hands.offered.remove("mcp__weather__forecast");
  rig.script.then(test::calls({call("w4", "mcp__weather__forecast", R"({"place":"Biel"})")}))
      .then(test::says("done"));
  rig.turn("again");
  CHECK(result_of(rig, "w4").find("There is no tool named") == 0);
}

TEST_CASE("an edit that must fail is refused to the model, and the user is not asked") {
  Rig rig;
  rig.hands.policy.mode = PermissionMode::ask;
  rig.hands.policy.bypass_by_flag = false;
  rig.hands.may_ask = true;
  rig.write("a.txt", "one\ntwo\none\n");
  const auto edit = [&](const char* old_text) {
    return R"({"file_path":")" + (rig.root / "a.txt").string() + R"(","old_string":")" + old_text +
           R"(","new_string":"three"})";
  };
  rig.commands.push(Answer{1, Verdict::no, "not now", 0});
  rig.script.then(test::calls({call("r", "Read", read_of(rig, "a.txt"))}))
      .then(test::calls({call("missing", "Edit", edit("four"))}))
      .then(test::calls({call("twice", "Edit", edit("one"))}))
      .then(test::calls({call("good", "Edit", edit("two"))}))
      .then(test::says("done"));
  rig.turn("change it");
  CHECK(result_of(rig, "missing").starts_with("String to replace not found in file."));
  CHECK(result_of(rig, "twice").starts_with("Found 2 matches"));
  REQUIRE(rig.seen<PermissionAsked>().size() == 1);
  CHECK(rig.seen<PermissionAsked>()[0].call_id == "good");
  CHECK(result_of(rig, "good").find("not now") != std::string::npos);
  CHECK(rig.files.seen(rig.root / "a.txt").has_value());
}
