// A scripted model server on loopback: Anthropic Messages, OpenAI chat completions, OpenAI responses, Gemini
// streamGenerateContent and Ollama's own chat, all streaming. Plays a scenario (JSON, see fake_llm_main.cpp
// for the fields), faults included, keeps a log of requests and checks the shape of every body. Own sockets,
// because the faults need them.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::test {

struct FakeRequest {
  std::string api;  // anthropic chat responses gemini ollama; empty for the rest
  std::string method, path, body;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string header(std::string_view name) const;
  bool asks_for_summary() const;
};

class FakeLlm {
 public:
  explicit FakeLlm(std::string_view scenario = "{}",
                   int port = 0);  // throws std::runtime_error on a broken scenario
  ~FakeLlm();
  FakeLlm(const FakeLlm&) = delete;
  FakeLlm& operator=(const FakeLlm&) = delete;

  int port() const;
  std::string url() const;                    // "http://127.0.0.1:8808"
  void scenario(std::string_view json);       // starts anew: replies and log
  std::vector<FakeRequest> requests() const;  // requests to a model, in order
  std::size_t refused() const;                // how many were longer than the scenario's limit
  bool wait_for_requests(std::size_t count, std::chrono::milliseconds patience) const;
  // What the real services would have refused, over all requests so far: "request 3: tool_use x without
  // tool_result".
  std::vector<std::string> shape_problems() const;

 private:
  struct Server;
  std::unique_ptr<Server> server_;
};

// The rules of one service about one body; empty = it would be taken.
std::vector<std::string> shape_problems(std::string_view api, std::string_view body);

}  // namespace tern::test
