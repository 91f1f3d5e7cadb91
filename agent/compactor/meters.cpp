#include "agent/compactor/meters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "agent/protocol/shell_note.h"

namespace tern {
namespace {

constexpr int recent_turns = 6;  // so many the means go by

enum Kind {
  system_part,
  tools_part,
  memory_part,
  user_part,
  assistant_part,
  results_part,
  summaries_part,
  kinds
};
constexpr std::array<const char*, kinds> kind_names = {"system",    "tools",   "memory",   "user",
                                                       "assistant", "results", "summaries"};

Kind kind_of(const Item& item) {
  if (item.role == Role::system) return system_part;
  if (item.role == Role::assistant) return assistant_part;
  for (const auto& block : item.blocks) {
    if (std::holds_alternative<Summary>(block)) return summaries_part;
    if (std::holds_alternative<ToolResult>(block)) return results_part;
  }
  return read_shell_note(item) ? results_part : user_part;  // what a command said is not the person's words
}

// Scaled so that the parts sum to `used`: what rounding leaves goes to the largest.
std::vector<Part> scaled(const std::array<Tokens, kinds>& estimated, Tokens used) {
  Tokens total = 0;
  for (auto tokens : estimated) total += tokens;
  std::vector<Part> parts;
  Tokens given = 0;
  for (int kind = 0; kind < kinds; ++kind) {
    const auto share = total > 0 ? static_cast<double>(estimated[kind]) / static_cast<double>(total) : 0.0;
    parts.push_back({kind_names[kind], static_cast<Tokens>(share * static_cast<double>(used))});
    given += parts.back().tokens;
  }
  auto largest =
      std::max_element(parts.begin(), parts.end(), [](auto& a, auto& b) { return a.tokens < b.tokens; });
  largest->tokens += used - given;
  return parts;
}

// " src/a.cpp": the file that a call works on.
std::string target_of(const ToolCall& call) {
  const auto arguments = nlohmann::json::parse(call.arguments, nullptr, false);
  if (!arguments.is_object()) return {};
  for (const char* key : {"file_path", "path"})
    if (const auto found = arguments.find(key); found != arguments.end() && found->is_string())
      return " " + found->get<std::string>();
  return {};
}

std::string label(const Item& item) {
  if (const auto ran = read_shell_note(item)) return "!  " + ran->command;
  for (const auto& block : item.blocks) {
    if (const auto* result = std::get_if<ToolResult>(&block)) {
      auto text = result->tool + "  " + result->subject;
      return result->recall ? text + " (" + to_string(result->recall) + ")" : text;
    }
    if (std::holds_alternative<Summary>(block)) return "summary";
    if (const auto* text = std::get_if<Text>(&block)) {
      auto line = text->text.substr(0, text->text.find('\n'));
      if (line.size() > 60) line = line.substr(0, line.find_last_of(' ', 60)) + " …";
      return (item.role == Role::assistant ? "answer  " : item.synthetic ? "note  " : "you  ") + line;
    }
    if (const auto* call = std::get_if<ToolCall>(&block)) return "call  " + call->name + target_of(*call);
    if (std::holds_alternative<Image>(block)) return "image";
  }
  return "message";
}

}  // namespace

void Forecast::learn(Tokens growth) {
  if (growth <= 0) return;
  const double sample = static_cast<double>(growth);
  mean_ = samples_ == 0 ? sample : mean_ + (sample - mean_) / std::min(samples_ + 1, recent_turns);
  ++samples_;
}

int Forecast::turns(Tokens distance) const {
  constexpr int least_samples = 3;
  constexpr double farthest = 50;  // a guess beyond that jumps about, and helps nobody
  if (samples_ < least_samples || mean_ < 1) return -1;
  const double turns = std::floor(static_cast<double>(std::max<Tokens>(distance, 0)) / mean_);
  return turns < farthest ? static_cast<int>(turns) : -1;
}

std::string Forecast::save() const { return std::to_string(mean_) + ' ' + std::to_string(samples_); }

void Forecast::load(const std::string& text) {
  std::istringstream in(text);
  in >> mean_ >> samples_;
}

void Gauges::choose_cache(const ModelInfo& model, bool may, TimePoint now) {
  asks_hour_ = cache_.warm(now) ? cache_.hour : may && model.sells_hours() && pauses_.hour_pays();
}

void Gauges::reported(Tokens estimated, const TokenUsage& usage, const ModelInfo& model, TimePoint now) {
  if (cache_.seen && anchor_reported_ > 0) {
    const auto prefix = std::min(anchor_reported_, usage.total_input());
    pauses_.saw(std::max(cache_.age(now), std::chrono::seconds(0)), prefix, usage.total_input() - prefix,
                model);
  }
  if (usage.total_input() > 0) {
    calibration_.learn(estimated, usage.total_input());
    anchor_estimated_ = estimated;
    anchor_reported_ = usage.total_input();
  }
  cache_.learn(usage, now);
  if (usage.cache_write > 0) cache_.hour = 2 * usage.long_write > usage.cache_write;
  cache_.life = cache_.hour ? std::chrono::seconds(std::chrono::hours(1)) : cache_life(model);
  ++requests_;
  spent(model.dollars(usage), model.priced);
}

void Gauges::refused(Tokens estimated, Tokens real) {
  if (real > estimated) calibration_.learn(estimated, real);
  anchor_estimated_ = estimated;
  anchor_reported_ = std::max(estimated, real);
}

void Gauges::cut() { anchor_estimated_ = anchor_reported_ = 0; }

void Gauges::cut(Tokens before, Tokens after) {
  if (anchor_reported_ <= 0 || after <= 0) return cut();
  anchor_reported_ = static_cast<Tokens>(static_cast<double>(after) * factor(before));
  anchor_estimated_ = after;
}

double Gauges::requests_per_turn() const {
  return std::max({1.0, mean_requests_, static_cast<double>(requests_)});
}

void Gauges::turn_ended() {
  if (const int had = std::exchange(requests_, 0); had > 0)
    mean_requests_ += (had - mean_requests_) / std::min(++turns_, recent_turns);
  forecast_.learn(
      static_cast<Tokens>(static_cast<double>(std::exchange(growing_, 0)) * calibration_.factor()));
}

void Gauges::spent(double dollars, bool known) {
  dollars_ += dollars;
  dollars_known_ = dollars_known_ && known;
}

void Gauges::new_model() {
  calibration_ = {};
  cache_ = {};
  cut();
}

double Gauges::factor(Tokens estimated) const {
  if (anchor_reported_ <= 0 || estimated <= 0) return calibration_.factor();
  const double since = static_cast<double>(estimated - anchor_estimated_) * calibration_.factor();
  return std::max(0.1, (static_cast<double>(anchor_reported_) + since) / static_cast<double>(estimated));
}

std::string Gauges::save(const ModelInfo& model) const {
  std::ostringstream out;
  out << saved_ << ' ' << std::to_string(dollars_) << ' ' << dollars_known_ << ' ' << forecast_.save() << ' '
      << (calibration_.learned() ? std::to_string(calibration_.factor()) : "0") << ' ' << anchor_estimated_
      << ' ' << anchor_reported_ << ' ' << model.provider << '/' << model.name << ' '
      << std::to_string(mean_requests_) << ' ' << turns_ << ' ' << cache_.seen << ' '
      << cache_.last_request.time_since_epoch().count() << ' ' << cache_.hour;
  return out.str();
}

void Gauges::load(const std::string& text, const ModelInfo& model) {
  std::istringstream in(text);
  std::string mean, samples, of;
  double factor = 0;
  Tokens estimated = 0, reported = 0;
  if (!(in >> saved_ >> dollars_ >> dollars_known_ >> mean >> samples)) return;
  forecast_.load(mean + ' ' + samples);
  in >> factor >> estimated >> reported >> of >> mean_requests_ >> turns_;
  if (of != model.provider + '/' + model.name || factor <= 0) return;
  constexpr Tokens many = 1'000'000;
  calibration_.learn(many, static_cast<Tokens>(factor * static_cast<double>(many)));
  anchor_estimated_ = estimated, anchor_reported_ = reported;
  std::int64_t last = 0;  // another process may go on before the provider's cache is cold
  if (bool seen = false; in >> seen >> last) {
    cache_.seen = seen;
    in >> cache_.hour;
    cache_.life = cache_.hour ? std::chrono::seconds(std::chrono::hours(1)) : cache_life(model);
    cache_.last_request = TimePoint(std::chrono::milliseconds(last));
  }
}

Tokens tokens_of(const std::vector<ToolSpec>& tools) {
  Tokens total = 0;
  for (const auto& tool : tools)
    total += estimate(tool.name) + estimate(tool.description) + estimate(tool.schema) + 8;
  return total;
}

Tokens Context::estimated(const Conversation& sent) const {
  const auto family = family_of(model.name);
  if (!family) return fixed() + count(sent) + pending;
  return family_count.scaled(fixed() + pending, prompt.text, *family) + family_count.of(sent, *family);
}

Tokens Context::estimated(const ItemPtr& item) const {
  const auto family = family_of(model.name);
  return family ? family_count.of(item, *family) : item->tokens;
}

Budget budget_of(const Context& context) {
  Budget budget;
  budget.window = context.window();
  budget.reserve = context.model.reserve(context.window_override);
  budget.fixed = context.fixed();
  budget.pending = context.pending;
  if (context.window_override <= 0 ||
      (context.model.optimum && *context.model.optimum < context.window_override))
    budget.optimum = context.model.optimum;
  const auto estimated = context.estimated();
  budget.calibration = context.gauges.factor(estimated) *
                       static_cast<double>(std::max<Tokens>(estimated, 1)) /
                       static_cast<double>(std::max<Tokens>(context.counted(), 1));
  budget.provider = context.model.provider;
  budget.model = context.model.name;
  budget.config = context.config;
  return budget;
}

Tokens used_of(const Context& context) { return usage(context.conversation, budget_of(context)).used; }

double fill_share(const Context& context) {
  return static_cast<double>(used_of(context)) / static_cast<double>(working_limit(budget_of(context)));
}

std::string fullness(const Context& context) {
  return std::to_string(std::lround(fill_share(context) * 100)) + "% of " +
         thousands(working_limit(budget_of(context)));
}

Meters read_meters(const Context& context) {
  const auto budget = budget_of(context);
  const auto now = usage(context.conversation, budget);
  Meters meters;
  meters.model = context.model.name;
  meters.provider = context.model.provider;
  meters.images = context.model.images || !context.model.known;
  meters.used = now.used;
  meters.effective = budget.effective();
  meters.window = budget.window;
  meters.limit = working_limit(budget);
  std::array<Tokens, kinds> parts{};
  parts[system_part] = context.prompt.system;
  parts[tools_part] = context.tool_tokens;
  parts[memory_part] = context.prompt.memory;
  parts[user_part] = context.pending;
  for (const auto& item : context.conversation.items) parts[kind_of(*item)] += item->tokens;
  meters.parts = scaled(parts, meters.used);
  meters.estimated = context.gauges.estimated_only();
  const auto limit = static_cast<double>(meters.limit);
  meters.micro_at = context.config.micro_at;
  meters.compact_at = context.config.compact_at;
  meters.truncate_at = context.config.truncate_at * static_cast<double>(budget.effective()) / limit;
  const auto mark = [&](double share) { return static_cast<Tokens>(share * limit); };
  if (context.config.auto_compress)
    for (double share : {meters.micro_at, meters.compact_at, meters.truncate_at}) {
      if (meters.used >= mark(share)) continue;
      meters.turns_to_next = context.gauges.forecast().turns(mark(share) - meters.used);
      break;
    }
  meters.saved = context.gauges.saved();
  meters.cache_hit = context.gauges.cache().hit;
  meters.dollars = context.gauges.dollars();
  meters.dollars_known = context.gauges.dollars_known();
  return meters;
}

std::string save_frame(const Context& context) {
  std::ostringstream out;
  out << context.window_override << ' ' << context.prompt.system << ' ' << context.prompt.memory << ' '
      << context.tool_tokens;
  return out.str();
}

void load_frame(const std::string& text, Context& context) {
  std::istringstream in(text);
  in >> context.window_override >> context.prompt.system >> context.prompt.memory >> context.tool_tokens;
}

std::vector<std::string> top_items(const Context& context, std::size_t count) {
  std::vector<const Item*> items;
  for (const auto& item : context.conversation.items) items.push_back(item.get());
  const auto shown = std::min(count, items.size());
  std::partial_sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(shown), items.end(),
                    [](auto* a, auto* b) { return a->tokens > b->tokens; });
  std::vector<std::string> lines;
  const double factor =
      static_cast<double>(used_of(context)) / static_cast<double>(std::max<Tokens>(context.counted(), 1));
  for (std::size_t i = 0; i < shown; ++i)
    lines.push_back(thousands(static_cast<Tokens>(static_cast<double>(items[i]->tokens) * factor)) + "  " +
                    label(*items[i]));
  return lines;
}

}  // namespace tern
