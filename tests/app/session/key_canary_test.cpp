// Keys that come by four ways, and a model, a tool and a service that say them again: no file has one after
// it.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "agent/store/store.h"
#include "tests/support/fake_llm.h"
#include "tests/support/shell_run.h"

using namespace tern;
using namespace tern::test;
namespace fs = std::filesystem;

namespace {

// In the environment, as the provider's key in the configuration, and in a header of it.
const std::vector<std::string> canaries = {"canary-of-environment-41", "canary-of-the-config-42",
                                           "canary-of-a-header-43"};

std::string all_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What the log holds is compressed, so it is read by the store itself.
std::string all_said(const fs::path& folder) {
  const auto store = Store::open({.folder = folder, .read_only = true});
  std::string why, all;
  const auto opened = store->newest(why);
  REQUIRE(opened);
  for (const auto& item : opened->conversation.items)
    for (const auto& block : item->blocks) {
      if (const auto* text = std::get_if<Text>(&block)) all += text->text + "\n";
      if (const auto* call = std::get_if<ToolCall>(&block)) all += call->arguments + "\n";
      if (const auto* result = std::get_if<ToolResult>(&block)) all += result->text + "\n";
    }
  for (const auto& original : store->originals()) all += store->text(original.id).value_or("") + "\n";
  return all;
}

}  // namespace

TEST_CASE("keys from environment, configuration and headers are in no file, log or trace afterwards") {
  const Home home;
  std::string everything;
  for (const std::string& key : canaries) everything += key + " ";
  const FakeLlm server(R"({"replies": [
    {"fault": {"kind": "status", "status": 529, "message": "busy, )" +
                       everything + R"("}},
    {"calls": [{"name": "Bash", "arguments":
      {"command": "env; cat ~/.config/tern/config.json; seq 20000; cat keys.txt"}}]},
    {"text": "done"},
    {"fault": {"kind": "status", "status": 400, "message": "what is )" +
                       everything + R"("}}]})");
  std::ofstream(home.path / ".config/tern/config.json")
      << R"({"trusted": [")" << home.work.string() << R"("], "providers": {"anthropic": {"key": ")"
      << canaries[1] << R"(", "baseUrl": ")" << server.url() << R"(", "headers": {"X-Team-Token": ")"
      << canaries[2] << R"("}}}})";
  std::ofstream(home.work / "keys.txt") << everything;
  const auto run =
      shell_run(home,
                "\"$TERN\" -p \"my keys: " + everything +
                    "\" --permission-mode bypass --trace trace.log --output-format json; "
                    "\"$TERN\" -c -p again; \"$TERN\" report -o page.html; true",
                {"OPENAI_API_KEY=" + canaries[0], "TERN_MODEL=" + std::string(wires()[0].model)});
  INFO(run.out << run.err);
  REQUIRE(server.requests().size() >= 4);
  REQUIRE(all_said(home.work / ".compression").find("[secret]") != std::string::npos);
  int files = 0;
  std::string found;
  const auto look = [&](const std::string& where, const std::string& bytes) {
    for (const std::string& key : canaries)
      if (bytes.find(key) != std::string::npos) found += where + ": " + key + "\n";
  };
  look("the log", all_said(home.work / ".compression"));
  for (const auto& entry : fs::recursive_directory_iterator(home.path)) {
    if (!entry.is_regular_file() || entry.path().filename() == "config.json" ||
        entry.path().filename() == "keys.txt")
      continue;
    look(entry.path().string(), all_of(entry.path()));
    ++files;
  }
  CHECK(files >= 6);
  CHECK(found == "");
}
