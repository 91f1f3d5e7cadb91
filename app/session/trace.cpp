#include "app/session/trace.h"

#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "agent/models/redact.h"

namespace tern {
namespace {

using nlohmann::json;

constexpr std::size_t shown = 400;

std::string brief(const std::string& text) {
  return text.size() <= shown ? text : text.substr(0, shown) + "…";
}

// What was said stands in it, so nobody else may read a new one.
std::FILE* private_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  return fd < 0 ? nullptr : ::fdopen(fd, "a");
}

json line_of(const TurnStarted& e) { return {{"event", "turn started"}, {"turn", e.turn}}; }
json line_of(const Delta& e) { return {{"event", "delta"}, {"bytes", e.text.size()}}; }
json line_of(const ToolProgress& e) {
  return {{"event", "tool progress"}, {"call", e.call_id}, {"bytes", e.tail.size()}};
}
json line_of(const TrustAsked& e) { return {{"event", "trust asked"}, {"folder", e.folder}}; }
json line_of(const QuestionAsked& e) { return {{"event", "question asked"}, {"text", brief(e.text)}}; }
json line_of(const Waiting& e) { return {{"event", "waiting"}, {"text", e.text}, {"attempt", e.attempt}}; }
json line_of(const Notice& e) {
  return {{"event", "notice"}, {"level", static_cast<int>(e.level)}, {"text", e.text}};
}
json line_of(const Meters& e) {
  return {{"event", "meters"},
          {"used", e.used},
          {"limit", e.limit},
          {"effective", e.effective},
          {"dollars", e.dollars}};
}
json line_of(const PermissionSettled& e) {
  return {{"event", "permission settled"}, {"verdict", static_cast<int>(e.verdict)}};
}
json line_of(const PermissionAsked& e) {
  return {{"event", "permission asked"}, {"tool", e.tool}, {"title", brief(e.title)}, {"reason", e.reason}};
}
json line_of(const TurnEnded& e) {
  return {
      {"event", "turn ended"}, {"how", static_cast<int>(e.how)}, {"error", e.error}, {"ms", e.milliseconds}};
}
json line_of(const ToolStarted& e) {
  return {{"event", "tool started"}, {"tool", e.tool}, {"call", e.call_id}, {"subject", brief(e.subject)}};
}
json line_of(const ToolFinished& e) {
  return {{"event", "tool finished"}, {"tool", e.tool},      {"call", e.call_id},
          {"note", brief(e.note)},    {"error", e.is_error}, {"ms", e.milliseconds}};
}
json line_of(const ItemAdded& e) {
  return {{"event", "item"},
          {"id", e.item->id.value},
          {"role", e.item->role == Role::user ? "user" : "assistant"},
          {"tokens", e.item->tokens},
          {"blocks", e.item->blocks.size()},
          {"synthetic", e.item->synthetic}};
}
json line_of(const Compaction& e) {
  return {{"event", "compaction"},
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
}
template <class Other>
json line_of(const Other&) {
  return json::object({{"event", "other"}});
}

}  // namespace

std::string trace_problem(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(private_file(path), &std::fclose);
  return file ? "" : std::strerror(errno);
}

void trace_event(const std::string& path, const Event& event) {
  static std::mutex mutex;
  static const auto begin = std::chrono::steady_clock::now();
  std::lock_guard lock(mutex);
  static std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(private_file(path), &std::fclose);
  if (!file) return;
  auto line = std::visit([](const auto& e) { return line_of(e); }, event);
  line["t"] = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  std::fputs((redact(line.dump(-1, ' ', false, json::error_handler_t::replace)) + '\n').c_str(), file.get());
  std::fflush(file.get());
}

}  // namespace tern
