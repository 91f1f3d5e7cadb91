#include "app/trace.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "agent/redact.h"

namespace tern {
namespace {

using nlohmann::json;

constexpr std::size_t shown = 400;

std::string brief(const std::string& text) { return text.size() <= shown ? text : text.substr(0, shown) + "…"; }

json line_of(const Event& event) {
  return std::visit(
      overloaded{
          [](const TurnStarted& e) {
            return json{{"event", "turn started"}, {"turn", e.turn}};
          },
          [](const ItemAdded& e) {
            return json{{"event", "item"},
                        {"id", e.item->id.value},
                        {"role", e.item->role == Role::user ? "user" : "assistant"},
                        {"tokens", e.item->tokens},
                        {"blocks", e.item->blocks.size()},
                        {"synthetic", e.item->synthetic}};
          },
          [](const Delta& e) {
            return json{{"event", "delta"}, {"bytes", e.text.size()}};
          },
          [](const ToolStarted& e) {
            return json{{"event", "tool started"}, {"tool", e.tool}, {"call", e.call_id}, {"subject", brief(e.subject)}};
          },
          [](const ToolProgress& e) {
            return json{{"event", "tool progress"}, {"call", e.call_id}, {"bytes", e.tail.size()}};
          },
          [](const ToolFinished& e) {
            return json{{"event", "tool finished"}, {"tool", e.tool},      {"call", e.call_id},
                        {"note", brief(e.note)},    {"error", e.is_error}, {"ms", e.milliseconds}};
          },
          [](const PermissionAsked& e) {
            return json{{"event", "permission asked"}, {"tool", e.tool}, {"title", brief(e.title)}, {"reason", e.reason}};
          },
          [](const PermissionSettled& e) {
            return json{{"event", "permission settled"}, {"verdict", static_cast<int>(e.verdict)}};
          },
          [](const TrustAsked& e) {
            return json{{"event", "trust asked"}, {"folder", e.folder}};
          },
          [](const Notice& e) {
            return json{{"event", "notice"}, {"level", static_cast<int>(e.level)}, {"text", e.text}};
          },
          [](const Waiting& e) {
            return json{{"event", "waiting"}, {"text", e.text}};
          },
          [](const Compaction& e) {
            return json{{"event", "compaction"},
                        {"phase", static_cast<int>(e.phase)},
                        {"tier", to_string(e.tier)},
                        {"batch", e.batch},
                        {"before", e.before},
                        {"after", e.after},
                        {"items", e.items},
                        {"strategy", e.strategy},
                        {"why", e.why},
                        {"audit", e.audit},
                        {"cost", e.cost},
                        {"pause_ms", e.pause_ms}};
          },
          [](const Meters& e) {
            return json{{"event", "meters"}, {"used", e.used}, {"effective", e.effective}, {"dollars", e.dollars}};
          },
          [](const TurnEnded& e) {
            return json{{"event", "turn ended"}, {"how", static_cast<int>(e.how)}, {"error", e.error}, {"ms", e.milliseconds}};
          },
          [](const auto&) {
            return json{{"event", "other"}};
          }},
      event);
}

}  // namespace

void trace_event(const std::string& path, const Event& event) {
  static std::mutex mutex;
  static const auto begin = std::chrono::steady_clock::now();
  std::lock_guard lock(mutex);
  static std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "ae"), &std::fclose);
  if (!file) return;
  auto line = line_of(event);
  line["t"] = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  std::fputs((redact(line.dump(-1, ' ', false, json::error_handler_t::replace)) + '\n').c_str(), file.get());
  std::fflush(file.get());
}

}  // namespace tern
