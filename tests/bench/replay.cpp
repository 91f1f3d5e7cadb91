// replay --in PREFIX.jsonl --window W --target TOKENS --out COMPACTED.json [--policy NAME] [--fixed TOKENS]
// Reads a recorded prefix, compresses it as the product would, and writes what the model would be sent next,
// with the recall ids and the pause. Tokens of the caller are characters / 4; they calibrate our estimate as
// an API's report does.
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "compression/values/tokens.h"
#include "tests/bench/replay_policy.h"
#include "tests/support/recorded_session.h"

namespace {

using Json = nlohmann::ordered_json;

// The processor's time: nothing here waits for anything, and the machine may be busy.
double milliseconds() { return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int run(std::map<std::string, std::string>& options) {
  std::ifstream in(options.at("--in"));
  if (!in) throw std::runtime_error("cannot be read");
  const auto session = tern::test::recorded_session(in);
  const auto policy = options.count("--policy") ? options["--policy"] : std::string("plan");
  const auto estimated = tern::count(session.conversation);
  tern::bench::Room room{.window = std::stoll(options.at("--window")),
                         .target = std::stoll(options.at("--target"))};
  if (options.count("--fixed")) room.fixed = std::stoll(options["--fixed"]);
  if (estimated > 0 && session.tokens > 0)
    room.factor = static_cast<double>(session.tokens) / static_cast<double>(estimated);
  const auto target = room.target;
  double pause = 0, aim = static_cast<double>(target) * 0.99;
  Json messages;
  for (int attempt = 0; attempt < 6; ++attempt) {
    room.target = static_cast<tern::Tokens>(aim);
    const double begin = milliseconds();
    const auto after = tern::bench::compress(policy, session.conversation, room);
    pause = milliseconds() - begin;
    messages = tern::test::wire_messages(after);
    const auto tokens = tern::test::wire_tokens(messages);
    if (tokens <= target) break;
    aim *= 0.995 * static_cast<double>(target) / static_cast<double>(tokens);
  }
  Json recall = Json::object();
  for (const auto& [id, places] : session.recall) recall["r" + std::to_string(id)] = places;
  const Json out{{"cut", session.messages},
                 {"messages", messages},
                 {"recall", recall},
                 {"pause_ms", pause},
                 {"llm_calls", Json::array()}};
  std::ofstream(options.at("--out")) << out.dump(-1, ' ', false, Json::error_handler_t::replace);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  if (!options.count("--in") || !options.count("--out") || !options.count("--window") ||
      !options.count("--target")) {
    std::cerr << "usage: replay --in PREFIX.jsonl --window W --target TOKENS --out COMPACTED.json [--policy "
                 "NAME] [--fixed TOKENS]\n";
    return 2;
  }
  try {
    return run(options);
  } catch (const std::exception& e) {
    std::cerr << "replay: " << options["--in"] << ": " << e.what() << "\n";
    return 1;
  }
}
