#include "agent/models/record.h"

#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "agent/models/redact.h"
#include "tests/support/provider_run.h"
#include "tests/support/scripted_provider.h"

using namespace tern;
using namespace tern::test;

namespace {

struct TempFile {
  std::string path =
      (std::filesystem::temp_directory_path() / ("tern-record-" + std::to_string(::getpid()) + ".jsonl"))
          .string();
  ~TempFile() { std::filesystem::remove(path); }
  std::string text() const {
    std::ifstream in(path);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }
};

}  // namespace

TEST_CASE("what was recorded is played back, summaries apart") {
  TempFile file;
  std::string error;
  auto script = std::make_unique<ScriptedProvider>();
  script->then(calls({{.id = "c1", .name = "Read", .arguments = "{\"a\":1}", .signature = "gemini:x"}},
                     "Reading.", {.input = 5, .output = 6, .cache_read = 7, .cache_write = 8}));
  script->then(fails(Failure::overflow, "too long", 100, 200));
  script->summaries([](const Request&) { return says("the summary"); });
  {
    const auto recording = Recording::create(file.path, error);
    REQUIRE(recording);
    const auto provider = recording_provider(std::move(script), recording);
    run(*provider, simple_request());
    Request summary = simple_request();
    summary.may_call_tools = false;
    run(*provider, summary);
    run(*provider, simple_request());
  }
  struct stat info {};
  REQUIRE(::stat(file.path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);

  const auto recording = Recording::load(file.path, error);
  REQUIRE(recording);
  CHECK(recording->left() == 3);
  const auto provider = replaying_provider(recording);
  Ran ran = run(*provider, simple_request());
  CHECK(ran.text == "Reading.");
  REQUIRE(ran.all<ToolCall>().size() == 1);
  CHECK(ran.all<ToolCall>()[0] == ToolCall{"c1", "Read", "{\"a\":1}", "gemini:x"});
  CHECK(ran.usage.cache_write == 8);
  CHECK(ran.finished->reason == StopReason::tools);
  ran = run(*provider, simple_request());
  CHECK(ran.failed->kind == Failure::overflow);
  CHECK(ran.failed->asked == 200);
  Request summary = simple_request();
  summary.may_call_tools = false;
  CHECK(run(*provider, summary).text == "the summary");
  CHECK(run(*provider, simple_request()).failed->message.find("no more") != std::string::npos);
}

TEST_CASE("a recording holds no secret, even one cut between deltas") {
  TempFile file;
  std::string error;
  register_secret("canary-key-42424242");
  const auto recording = Recording::create(file.path, error);
  REQUIRE(recording);
  auto script = std::make_unique<ScriptedProvider>();
  script->then({.events = {TextDelta{"the key is canary-key"},
                           TextDelta{"-42424242 and sk-ant-abcdefghijklmnopqrstuvwxyz"},
                           BlockDone{Text{"canary-key-42424242"}},
                           BlockDone{ToolCall{.id = "c",
                                              .name = "Bash",
                                              .arguments = R"({"command":"echo canary-key-42424242"})",
                                              .signature = {}}},
                           Finished{}}});
  run(*recording_provider(std::move(script), recording), simple_request("my key: canary-key-42424242"));
  const std::string text = file.text();
  CHECK(text.find("canary-key-42424242") == std::string::npos);
  CHECK(text.find("sk-ant-abc") == std::string::npos);
  CHECK(text.find("[secret]") != std::string::npos);
}

TEST_CASE("a file that is no recording is refused with its line") {
  TempFile file;
  std::string error;
  std::ofstream(file.path) << "{\"events\":[]}\nnonsense\n";
  CHECK(!Recording::load(file.path, error));
  CHECK(error.find("line 2") != std::string::npos);
  CHECK(!Recording::load(file.path + ".missing", error));
  CHECK(!Recording::create("/nonexistent-dir/x", error));
}
