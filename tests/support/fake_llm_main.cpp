// fake_llm SCENARIO.json [PORT]: the fake model server by hand. Ends with the end of its standard input and
// says how large each request was and how many tools it offered.
//
// A scenario:
//   {"replies": [REPLY, …],            one per request, in order
//    "loop": true,                     begin again when they are used up
//    "rounds": {"n": 30, "call": {"name": "Bash", "arguments": {"command": "echo $i"}}, "text": "Round $i.",
//    "final": "done"}, "match": [REPLY with "when": "text in the request", or a list of texts that are all in
//    it, …], "summary": REPLY,                 for requests whose last message asks for a <summary> or
//    state_snapshot "default": REPLY,                 when nothing else is left "bind": true, Anthropic: a
//    thought is bound to what stood before it "refuses": "a text": a body that has it is answered with 400
//    "limit": 32000,                   refuses larger requests (bytes / 4) in the service's own words, or
//    "shape": "llamacpp"}              in those of another server; "silent": cuts without a word and answers
// REPLY: {"text", "thinking", "signature", "calls": [{"name", "arguments" or "raw", "id"}], "stop":
// "end|tools|length|refusal",
//         "usage": {"input", "output", "cache_read", "cache_write", "long_write"}, "pieces": characters per
//         delta, "delay_ms": between events, "first_delay_ms", "fault": FAULT}
// FAULT: {"kind": …}
//   "status"       with "status", "message" or "body", "retry-after", "retry-after-ms", "location"
//   "html"         a proxy's page (502)          "spend_limit"  429 that must not be repeated
//   "overflow"     with "limit", "asked", "shape": another server's words ("llamacpp")
//   "reset" "eof" "hang" "stall"  at byte "at" of the stream; stall goes on after "ms"
//   "badsse"       one broken event in the middle           "error_event"  with "type", "message", "after"
//   events "no_head"      silence instead of an answer             "bad_gzip"     a body that is not what it
//   says
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/fake_llm.h"

namespace {

std::size_t tools_in(const std::string& body) {
  const auto request = nlohmann::json::parse(body, nullptr, false);
  if (!request.is_object() || !request.contains("tools")) return 0;
  std::size_t count = 0;
  for (const auto& tool : request["tools"])
    count += tool.contains("functionDeclarations") ? tool["functionDeclarations"].size() : 1;  // Gemini's
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::cerr << "usage: fake_llm SCENARIO.json [PORT]\n", 2;
  std::ifstream file(argv[1]);
  std::stringstream text;
  text << file.rdbuf();
  try {
    tern::test::FakeLlm server(text.str(), argc > 2 ? std::atoi(argv[2]) : 0);
    std::cout << server.url() << std::endl;
    for (std::string line; std::getline(std::cin, line);) {}
    for (const auto& request : server.requests())
      std::cout << request.path << " " << request.body.size() << " bytes, " << tools_in(request.body)
                << " tools\n";
    for (const std::string& problem : server.shape_problems()) std::cout << problem << "\n";
  } catch (const std::exception& error) {
    return std::cerr << error.what() << "\n", 1;
  }
}
