// What an editor's files and pictures have to do with tern's tools: unsaved buffers, pictures of results.
#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/app/acp/acp_editor.h"

using Json = nlohmann::json;
using tern::test::AcpEditor;

namespace {

constexpr const char* reads_then_writes = R"({"replies": [
  {"calls": [{"name": "Read", "id": "call_1", "arguments": {"file_path": "a.txt"}}]},
  {"calls": [{"name": "Edit", "id": "call_2", "arguments": {"file_path": "a.txt", "old_string": "saved", "new_string": "x"}}]},
  {"text": "Done."}]})";

void put(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const Json reads_files{{"fs", {{"readTextFile", true}}}};

}  // namespace

TEST_CASE("acp: Read shows what the editor holds unsaved, and an edit waits until it is saved") {
  AcpEditor editor(reads_then_writes, reads_files);
  put(editor.project() / "a.txt", "saved\r\n");
  const auto session = editor.open();
  editor.call("session/set_mode", {{"sessionId", session}, {"modeId", "accept-edits"}});
  const auto prompt = editor.say(session, "go");
  int asked = 0;
  auto message = editor.wait(prompt);
  for (; message.value("method", "") == "fs/read_text_file"; message = editor.wait(prompt), ++asked) {
    CHECK(message["params"]["sessionId"] == session);
    CHECK(message["params"]["path"] == (editor.project() / "a.txt").string());
    editor.answer(message, {{"content", "saved\n未保存\n"}});
  }
  CHECK(message["result"]["stopReason"] == "end_turn");
  CHECK(asked == 2);
  CHECK(content_of(editor.project() / "a.txt") == "saved\r\n");
  const auto requests = editor.model.requests();
  REQUIRE(requests.size() == 3);
  CHECK(requests[1].body.find("2\\t未保存") != std::string::npos);
  CHECK(requests[1].body.find("not saved; this is its text") != std::string::npos);
  CHECK(requests[2].body.find("the editor holds changes of it that are not saved") != std::string::npos);
}

TEST_CASE("acp: where the editor has the file as it is on disk, or does not know it, the disk counts") {
  for (const bool knows : {true, false}) {
    AcpEditor editor(reads_then_writes, reads_files);
    put(editor.project() / "a.txt", "saved\r\n");
    const auto session = editor.open();
    editor.call("session/set_mode", {{"sessionId", session}, {"modeId", "accept-edits"}});
    const auto prompt = editor.say(session, "go");
    auto message = editor.wait(prompt);
    for (; message.value("method", "") == "fs/read_text_file"; message = editor.wait(prompt)) {
      if (knows)
        editor.answer(message, {{"content", "saved\n"}});
      else
        editor.write(Json{{"jsonrpc", "2.0"},
                          {"id", message["id"]},
                          {"error", {{"code", -32002}, {"message", "no such file"}}}}
                         .dump());
    }
    CHECK(message["result"]["stopReason"] == "end_turn");
    CHECK(content_of(editor.project() / "a.txt") == "x\r\n");
  }
}

TEST_CASE("acp: a client that cannot read files is not asked for them") {
  AcpEditor editor(reads_then_writes);
  put(editor.project() / "a.txt", "other\n");
  const auto session = editor.open();
  editor.call("session/set_mode", {{"sessionId", session}, {"modeId", "accept-edits"}});
  CHECK(editor.wait(editor.say(session, "go"))["result"]["stopReason"] == "end_turn");
}

TEST_CASE("acp: a picture that a tool gives is shown, and on loading it is no word of the user") {
  const std::string pixel = "\x89PNG\r\n\x1a\n" + std::string("\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\4\0\0\0", 21);
  AcpEditor editor(R"({"replies": [
    {"calls": [{"name": "Read", "id": "call_1", "arguments": {"file_path": "a.png"}}]}, {"text": "A dot."}]})");
  put(editor.project() / "a.png", pixel);
  const auto session = editor.open();
  CHECK(editor.wait(editor.say(session, "look"))["result"]["stopReason"] == "end_turn");
  const auto done = editor.updates("tool_call_update").back();
  CHECK(done["toolCallId"] == "call_1");
  REQUIRE(done["content"].size() == 2);
  CHECK(done["content"][1]["type"] == "content");
  CHECK(done["content"][1]["content"]["type"] == "image");
  CHECK(done["content"][1]["content"]["mimeType"] == "image/png");
  CHECK(done["content"][1]["content"]["data"].get<std::string>().starts_with("iVBORw0KGgo"));
  editor.heard.clear();
  editor.call("session/load",
              {{"sessionId", session}, {"cwd", editor.project().string()}, {"mcpServers", Json::array()}});
  for (const auto& said : editor.updates("user_message_chunk")) CHECK(said["content"]["type"] == "text");
  CHECK(editor.updates("user_message_chunk").size() == 1);
  CHECK(editor.updates("tool_call_update").back()["content"].back()["content"]["type"] == "image");
}

TEST_CASE("acp: logging out says what is still there") {
  AcpEditor editor("{}");
  CHECK(editor.initialized["result"]["agentCapabilities"]["auth"]["logout"] == Json::object());
  const auto kept = editor.call("logout", Json::object());  // the key is in the environment
  REQUIRE(kept.contains("error"));
  editor.with_key = false;
  CHECK(editor.call("logout", Json::object())["result"] == Json::object());
}
