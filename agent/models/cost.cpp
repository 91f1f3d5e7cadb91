#include "agent/models/cost.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>

namespace tern {
namespace {

constexpr double million = 1e6;
// A warm cache is not broken for what pays later than this: about half the requests between two cuts, where
// carrying what could leave has cost as much as writing the rest again.
constexpr double patient_requests = 8;
constexpr double patient_share =
    0.95;  // of the way from one mark to the next: there it is broken all the same

// Providers without a separate figure charge cache reads and writes as plain input.
double read_price(const ModelInfo& model) { return model.cache_read > 0 ? model.cache_read : model.input; }

constexpr double fading = 0.998;       // of what a request counts, with each later one
constexpr double least_requests = 10;  // less says nothing of a person's pauses
constexpr double clearly_less =
    0.80;  // the gaps that a short life leaves also let a prompt be shortened for nothing

std::string age_text(std::chrono::seconds age) {
  if (age < std::chrono::minutes(2)) return std::to_string(age.count()) + " s";
  if (age < std::chrono::hours(2)) return std::to_string(age.count() / 60) + " min";
  return std::to_string(age.count() / 3600) + " h";
}

std::string whole(double n, std::string_view noun) {
  return counted(static_cast<std::int64_t>(std::ceil(n)), noun);
}

// In turns, as people count; in requests too where a turn has several.
std::string pays(const CutCost& cost) {
  if (cost.break_even <= 0) return "pays at once";
  const auto turns = "pays after " + whole(cost.break_even, "turn");
  return cost.requests < 1.5 ? turns : turns + " (" + whole(cost.break_even * cost.requests, "request") + ')';
}

}  // namespace

// As their documents say, the shorter where they give a range; what runs on this machine keeps it while it
// runs.
std::chrono::seconds cache_life(const ModelInfo& model) {
  using namespace std::chrono_literals;
  struct Life {
    std::string_view provider;
    std::chrono::seconds life;
  };
  static constexpr Life lives[] = {{"anthropic", 5min}, {"openai", 10min}, {"responses", 10min},
                                   {"deepseek", 2h},    {"gemini", 5min},  {"ollama", 24h},
                                   {"llamacpp", 24h},   {"lmstudio", 24h}, {"vllm", 24h}};
  for (const auto& one : lives)
    if (one.provider == model.provider) return one.life;
  return 5min;
}

void set_limit(SpendLimits& limits, const std::string& name, double dollars) {
  if (name == "turn") {
    limits.turn = dollars;
  } else if (name == "session") {
    limits.session = dollars;
  } else if (name == "day") {
    limits.day = dollars;
  } else if (dollars > 0) {
    limits.sources[name] = dollars;
  } else {
    limits.sources.erase(name);
  }
}

double write_price(const ModelInfo& model, bool hour) {
  if (hour && model.sells_hours()) return model.long_write();
  return model.cache_write > 0 ? model.cache_write : model.input;
}

void CachePauses::saw(std::chrono::seconds pause, Tokens prefix, Tokens fresh, const ModelInfo& model) {
  const auto cost = [&](bool hour) {
    const bool gone = pause >= (hour ? std::chrono::seconds(std::chrono::hours(1)) : cache_life(model));
    const double written = static_cast<double>(gone ? prefix + fresh : fresh),
                 read = static_cast<double>(gone ? 0 : prefix);
    return (written * write_price(model, hour) + read * read_price(model)) / million;
  };
  short_ = short_ * fading + cost(false);
  hour_ = hour_ * fading + cost(true);
  requests_ = requests_ * fading + 1;
}

bool CachePauses::hour_pays() const { return requests_ >= least_requests && hour_ < clearly_less * short_; }

std::string CachePauses::save() const {
  return std::to_string(short_) + ' ' + std::to_string(hour_) + ' ' + std::to_string(requests_);
}

void CachePauses::load(const std::string& text) {
  std::istringstream in(text);
  CachePauses read;
  if (in >> read.short_ >> read.hour_ >> read.requests_ && read.short_ >= 0 && read.hour_ >= 0) *this = read;
}

bool costs_nothing(const ModelInfo& model) {
  return model.priced && model.provider != "demo" && model.input == 0 && model.output == 0;
}

void CacheState::learn(const TokenUsage& usage, TimePoint now) {
  last_request = now;
  if (usage.cache_read > 0 || usage.cache_write > 0) seen = true;
  const auto total = usage.total_input();
  hit = total > 0 && seen ? static_cast<double>(usage.cache_read) / static_cast<double>(total) : -1;
}

std::chrono::seconds CacheState::age(TimePoint now) const {
  return std::chrono::duration_cast<std::chrono::seconds>(now - last_request);
}

bool CacheState::warm(TimePoint now) const {
  return seen && last_request != TimePoint{} && last_request <= now && age(now) < life;
}

CutCost cut_cost(Tokens freed, Tokens after, const CacheState& cache, TimePoint now, const ModelInfo& model,
                 double requests, double summary_dollars) {
  CutCost cost;
  cost.known = model.priced;
  cost.warm = cache.warm(now);
  const double rewrite = cost.warm ? write_price(model, cache.hour) - read_price(model) : 0.0;
  const double per_token = cache.seen ? read_price(model) : model.input;
  cost.now = static_cast<double>(after) * rewrite / million + summary_dollars;
  cost.requests = std::max(requests, 1.0);
  cost.per_turn = static_cast<double>(freed) * per_token / million * cost.requests;
  cost.break_even = cost.per_turn > 0 ? cost.now / cost.per_turn
                                      : (cost.known ? std::numeric_limits<double>::infinity() : 0.0);
  return cost;
}

bool better_later(const CutCost& cost, double share, const CompressionConfig& config) {
  const double room_ends = config.micro_at + patient_share * (config.compact_at - config.micro_at);
  return cost.known && cost.warm && cost.break_even * cost.requests > patient_requests && share < room_ends;
}

std::string describe(const CutCost& cost, const CacheState& cache, TimePoint now) {
  const bool dated = cache.last_request != TimePoint{};
  std::string state = cost.warm ? " · cache warm" : cache.seen ? " · cache cold" : "";
  if (!state.empty() && dated) state += " (" + age_text(cache.age(now)) + ")";

  if (!cost.known) return "prices unknown" + state;
  if (cost.now == 0 && cost.per_turn == 0) return "this model costs nothing";
  const std::string price =
      "costs " + money(cost.now) + " now, saves " + money(cost.per_turn) + " per turn · ";
  return price + (std::isfinite(cost.break_even) ? pays(cost) : "never pays") + state;
}

}  // namespace tern
