// The turns of the day that the soak plays: what the user types, what the model answers, and what is to be
// seen in the end. Which one comes next is drawn by lot.
#pragma once

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace tern::test::soak {

enum class Way { plain, esc, steer, resize, kill };  // what happens while the model answers

struct Turn {
  std::string what;
  nlohmann::json replies;  // of the model, in order
  Way way = Way::plain;
  std::string before = {};  // keys sent before the prompt: commands, panels
  std::string pasted = {};  // with the prompt
};

inline nlohmann::json call(const char* name, const nlohmann::json& arguments) {
  return {{"text", "Next."}, {"calls", {{{"name", name}, {"arguments", arguments}}}}};
}
inline nlohmann::json bash(const std::string& command) { return call("Bash", {{"command", command}}); }
inline nlohmann::json mcp(const char* server, const char* tool) {
  return call("McpCall", {{"server", server}, {"tool", tool}, {"arguments", {{"text", "over here"}}}});
}
inline nlohmann::json fault(const nlohmann::json& what) {
  return {{"text", "this breaks off in the middle of its words"}, {"fault", what}};
}
inline nlohmann::json slow(const std::string& text) {
  return {{"text", text}, {"pieces", 4}, {"delay_ms", 15}};
}

// `end` is the last word of the turn; `mark` is unique to it.
inline Turn next_turn(std::mt19937& random, const std::string& mark, const std::string& end, bool may_kill) {
  using nlohmann::json;
  const json last = {{"text", end}};
  const std::string words =
      "I am talking and talking about " + mark + ", and about what comes after it, slowly.";
  switch (random() % (may_kill ? 15 : 14)) {
    case 0: return {"commands", {bash("seq 1 4000; echo of-" + mark), bash("seq 1 900 | tail -300"), last}};
    case 1: return {"a server's tool", {mcp("alpha", "echo"), mcp("beta", "echo"), last}};
    case 2: return {"a server that dies", {mcp("alpha", "crash"), mcp("alpha", "echo"), last}};
    case 3:
      return {
          "a helper",
          {call("Task", {{"description", "look"}, {"prompt", "Look for the needle."}, {"agent", "explorer"}}),
           last}};
    case 4:
      return {"faults of the model",
              {fault({{"kind", "status"}, {"status", 529}, {"retry-after-ms", "20"}}),
               fault({{"kind", "reset"}, {"at", 90}}), fault({{"kind", "badsse"}}), last}};
    case 5:
      return {
          "a file",
          {call("Write", {{"path", mark + ".txt"}, {"content", mark + "\none\ntwo\n"}}),
           call("Read", {{"path", mark + ".txt"}}),
           call("Edit", {{"path", mark + ".txt"}, {"old_string", "one"}, {"new_string", "three"}}), last}};
    case 6:
      return {"a background command",
              {call("Bash", {{"command", "sleep 1; echo " + mark}, {"run_in_background", true}}), last}};
    case 7: return {"a steered turn", {slow(words), last, last}, Way::steer};
    case 8: return {"an interrupted turn", {slow(words + words + words + words + words + words)}, Way::esc};
    case 9: return {"a compaction", {last}, Way::plain, "/compact"};
    case 10: return {"a storm of resizes", {slow(words), last}, Way::resize};
    case 11: {
      std::string pasted;
      for (int line = 0; line < 200; ++line) pasted += "line " + std::to_string(line) + " of " + mark + "\n";
      return {"a paste", {last}, Way::plain, {}, pasted};
    }
    case 12: return {"a page", {last}, Way::plain, "/context"};
    case 13:
      return {"a long result", {bash("seq 1 60000"), bash("head -c 300000 /dev/zero | tr '\\0' x"), last}};
    default: return {"kill -9", {slow(words + words), last}, Way::kill};
  }
}

}  // namespace tern::test::soak
