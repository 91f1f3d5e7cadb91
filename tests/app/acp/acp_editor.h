// An editor for tests: `serve_acp` in this process between two pipes, with the fake server as its model.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/acp/acp.h"
#include "tests/support/fake_llm.h"
#include "tests/support/temp_dir.h"

namespace tern::test {

class AcpEditor {
 public:
  explicit AcpEditor(std::string_view scenario, const nlohmann::json& abilities = nlohmann::json::object());
  ~AcpEditor();

  nlohmann::json initialized;  // the answer to "initialize"
  TempDir dir;
  const std::filesystem::path& root = dir.path();
  std::filesystem::path project() const { return root / "project"; }
  FakeLlm model;

  void write(const std::string& line);
  std::int64_t send(const std::string& method, nlohmann::json params);  // the id of the request
  void notify(const std::string& method, nlohmann::json params);
  void answer(const nlohmann::json& request, nlohmann::json result);
  nlohmann::json read();  // the next message; null at the end
  // The answer to that request, whole. What comes before it is kept in `heard`; a question of the agent ends
  // the wait, too.
  nlohmann::json wait(std::int64_t id);
  nlohmann::json call(const std::string& method, nlohmann::json params) {
    return wait(send(method, std::move(params)));
  }
  std::string open();                                                     // a new session: its id
  std::int64_t say(const std::string& session, const std::string& text);  // a prompt
  int close();  // the end of its input: the exit status

  std::vector<nlohmann::json> heard;
  std::vector<nlohmann::json> updates(const std::string& kind) const;  // those of `heard`
  std::string text() const;                                            // of the agent's messages

  void choose(const nlohmann::json& question, const std::string& option);

  bool with_key = true;  // for the sessions to come

 private:
  int to_ = -1, from_ = -1, in_ = -1, out_ = -1, status_ = -1;
  AcpWorld world_;
  std::string buffer_;
  std::int64_t next_ = 1;
  std::thread thread_;
};

}  // namespace tern::test
