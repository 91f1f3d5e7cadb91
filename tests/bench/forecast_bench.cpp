// How far off "≈ 7 turns to the next tier" is, over recorded sessions: forecast_bench FOLDER (or
// TERN_SESSIONS=FOLDER), a folder of *.jsonl as tests/bench/quality takes them. Without one nothing is
// measured. Each session fills a window of 60 % of itself; after each turn (and, apart, after each request)
// the forecast of the next mark is compared with what then happened.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "agent/compactor/meters.h"
#include "compression/values/tokens.h"

namespace {

using namespace tern;
using Json = nlohmann::json;

constexpr double window_share = 0.6;
constexpr double marks[] = {0.60, 0.80, 0.95};

struct Growth {
  std::vector<Tokens> turns, requests;
};

Tokens tokens_of(const Json& message) {
  Tokens total = 4;
  for (const auto& block : message.at("content")) {
    const std::string type = block.at("type");
    if (type == "text") total += estimate(block.at("text").get<std::string>());
    if (type == "tool_use") total += estimate(block.at("input").dump());
    if (type != "tool_result") continue;
    const auto& content = block.at("content");
    total += estimate(content.is_string() ? content.get<std::string>() : content.dump());
  }
  return total;
}

Growth growth_of(const std::filesystem::path& file) {
  Growth growth;
  std::ifstream in(file);
  Tokens turn = 0, request = 0;
  for (std::string line; std::getline(in, line);) {
    const auto message = Json::parse(line, nullptr, false);
    if (!message.is_object() || message.value("type", "") != "message") continue;
    const bool human = message.value("role", "") == "user" && message.value("origin", "") == "human";
    if (human && turn > 0) growth.turns.push_back(std::exchange(turn, 0));
    const auto tokens = tokens_of(message);
    turn += tokens, request += tokens;
    if (message.value("role", "") == "assistant") growth.requests.push_back(std::exchange(request, 0));
  }
  if (turn > 0) growth.turns.push_back(turn);
  return growth;
}

struct Errors {
  std::vector<double> off;  // steps
  double sum = 0, steps = 0;

  void measure(const std::vector<Tokens>& growth) {
    Tokens total = 0, used = 0;
    for (const auto one : growth) total += one;
    const double window = window_share * static_cast<double>(total);
    Forecast forecast;
    for (std::size_t i = 0; i < growth.size(); ++i) {
      used += growth[i];
      forecast.learn(growth[i]);
      for (const double mark : marks) {
        const auto goal = static_cast<Tokens>(mark * window);
        if (used >= goal) continue;
        const int said = forecast.turns(goal - used);
        if (said >= 0) compare(growth, i, used, goal, said);
        break;
      }
    }
  }

  double median() {
    if (off.empty()) return 0;
    std::nth_element(off.begin(), off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2), off.end());
    return off[off.size() / 2];
  }
  double relative() const { return steps > 0 ? sum / steps : 0; }

 private:
  void compare(const std::vector<Tokens>& growth, std::size_t i, Tokens used, Tokens goal, int said) {
    int real = 0;
    for (std::size_t k = i + 1; k < growth.size(); ++k, ++real) {
      used += growth[k];
      if (used >= goal) break;
    }
    off.push_back(std::abs(said - real));
    sum += std::abs(said - real);
    steps += std::max(real, 1);
  }
};

void print(const char* what, Errors& errors, const char* unit, double bar) {
  std::printf("%s: forecasts\t%zu\t\t\n", what, errors.off.size());
  std::printf("%s: median error\t%.1f\t%s\t<= %g\n", what, errors.median(), unit, bar);
  std::printf("%s: error, relative to the distance\t%.2f\t\t\n", what, errors.relative());
}

}  // namespace

int main(int argc, char** argv) {
  const char* folder = argc > 1 ? argv[1] : std::getenv("TERN_SESSIONS");
  if (!folder) {
    std::puts("no folder of recorded sessions: forecast_bench FOLDER, or TERN_SESSIONS");
    return 0;
  }
  Errors turns, requests;
  std::size_t sessions = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".jsonl") continue;
    const auto growth = growth_of(entry.path());
    ++sessions;
    turns.measure(growth.turns);
    requests.measure(growth.requests);
  }
  if (sessions == 0) return std::fprintf(stderr, "no session in %s\n", folder), 1;
  std::printf("recorded sessions\t%zu\t\t\n", sessions);
  print("forecast in turns", turns, "turns", 2);
  print("forecast in requests", requests, "requests", 8);
}
