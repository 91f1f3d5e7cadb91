#include "app/session/status_script.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/exec/follow.h"
#include "tools/exec/output_ring.h"
#include "tools/exec/process.h"

namespace tern {
namespace {

constexpr std::chrono::milliseconds patience{5'000};
constexpr std::size_t most_lines = 3, most_bytes = 4'000;

std::string first_lines(const std::string& text) {
  std::size_t end = 0;
  for (std::size_t line = 0; line < most_lines && end < text.size(); ++line)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  std::string lines = text.substr(0, std::min(end, most_bytes));
  while (lines.ends_with('\n') || lines.ends_with('\r')) lines.pop_back();
  return lines;
}

double percent_of(Tokens part, Tokens whole) {
  return whole > 0 ? std::round(static_cast<double>(part) * 1000 / static_cast<double>(whole)) / 10 : 0;
}

// The mark that the fill has not reached yet.
std::pair<std::string_view, Tokens> next_tier(const Meters& meters) {
  const std::pair<std::string_view, double> marks[] = {
      {"micro", meters.micro_at}, {"compact", meters.compact_at}, {"truncate", meters.truncate_at}};
  for (const auto& [name, share] : marks) {
    const auto at = static_cast<Tokens>(share * static_cast<double>(meters.limit));
    if (meters.used < at) return {name, at};
  }
  return {"truncate", meters.limit};
}

}  // namespace

StatusScript::StatusScript(Runner run, Pace pace, Shown shown)
    : run_(std::move(run)),
      pace_(pace),
      shown_(std::move(shown)),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

void StatusScript::tell(std::string json) {
  {
    std::lock_guard lock(mutex_);
    waiting_ = std::move(json);
  }
  news_.notify_one();
}

std::chrono::milliseconds StatusScript::age() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun_);
}

void StatusScript::work(const std::stop_token& stop) {
  std::string last, shown;
  while (!stop.stop_requested()) {
    std::unique_lock lock(mutex_);
    const auto came = [this] { return waiting_.has_value(); };
    const bool refreshes = pace_.refresh.count() > 0 && !last.empty();
    refreshes ? news_.wait_for(lock, stop, pace_.refresh, came) : news_.wait(lock, stop, came);
    if (stop.stop_requested()) return;
    news_.wait_for(lock, stop, pace_.pause, [] { return false; });  // a burst of news is told once
    if (stop.stop_requested()) return;
    if (waiting_) last = *std::exchange(waiting_, std::nullopt);
    lock.unlock();
    std::string text = run_(last, stop);
    if (stop.stop_requested() || text == shown) continue;
    shown = text;
    shown_(std::move(text));
  }
}

std::string run_status_script(const std::string& command, const std::filesystem::path& cwd,
                              std::vector<std::string> env, const std::string& json, std::stop_token stop) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", command};
  spec.cwd = cwd;
  spec.env = std::move(env);
  spec.two_way = true;
  spec.linger = std::chrono::milliseconds(0);
  spec.grace = std::chrono::milliseconds(0);
  Process process;
  if (!process.start(spec).empty()) return {};
  process.write_input(json);  // smaller than a pipe holds
  process.close_input();
  OutputRing output;
  FollowLimits limits;
  limits.time = patience;
  const auto following = follow(process, output, limits, std::move(stop), {});
  if (following.how != Following::How::ended || following.end.status != 0) return {};
  return first_lines(output.text());
}

std::string status_json(const StatusFacts& facts) {
  using Json = nlohmann::ordered_json;
  const Meters& meters = facts.meters;
  const auto [next, next_at] = next_tier(meters);
  const double used = percent_of(meters.used, meters.window);
  Json added = Json::array();
  for (const auto& folder : facts.added_dirs) added.push_back(folder.string());
  const Json json = {
      {"hook_event_name", "Status"},
      {"session_id", facts.session_id},
      {"session_name", meters.session},
      {"cwd", meters.cwd},
      {"model", {{"id", facts.provider_model}, {"display_name", meters.model}}},
      {"workspace",
       {{"current_dir", meters.cwd},
        {"project_dir", facts.project_dir},
        {"added_dirs", added},
        {"git_branch", meters.branch}}},
      {"version", facts.version},
      {"permission_mode", to_string(meters.mode)},
      {"output_style", {{"name", "default"}}},
      {"cost", {{"total_cost_usd", meters.dollars}, {"total_duration_ms", facts.duration.count()}}},
      {"context_window",
       {{"context_window_size", meters.window},
        {"used_tokens", meters.used},
        {"used_percentage", used},
        {"remaining_percentage", std::max(0.0, 100 - used)},
        {"total_input_tokens", facts.total.input + facts.total.cache_read + facts.total.cache_write},
        {"total_output_tokens", facts.total.output}}},
      {"exceeds_200k_tokens", meters.used > 200'000},
      {"prompt_cache", {{"hit_ratio", meters.cache_hit < 0 ? Json(nullptr) : Json(meters.cache_hit)}}},
      {"compression",
       {{"tier", to_string(facts.tier)},
        {"next", next},
        {"next_at", next_at},
        {"saved_tokens", meters.saved}}},
  };
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tern
