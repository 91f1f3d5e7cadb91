#include "agent/models/record.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/models/redact.h"
#include "tools/set/args.h"

namespace tern {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

json to_json(const Block& block) {
  if (const auto* text = std::get_if<Text>(&block)) return {{"text", redact_shapes(text->text)}};
  if (const auto* thought = std::get_if<Thinking>(&block))
    return {{"thinking", redact_shapes(thought->text)},
            {"signature", thought->signature},
            {"redacted", thought->redacted}};
  if (const auto* call = std::get_if<ToolCall>(&block))
    return {{"call", call->id},
            {"name", call->name},
            {"arguments", redact_shapes(call->arguments)},
            {"signature", call->signature}};
  return json::object();
}

Block block_from(const json& from) {
  if (from.contains("call"))
    return ToolCall{from.value("call", ""), from.value("name", ""), from.value("arguments", ""),
                    from.value("signature", "")};
  if (from.contains("thinking"))
    return Thinking{from.value("thinking", ""), from.value("signature", ""), from.value("redacted", false)};
  return Text{from.value("text", "")};
}

json to_json(const StreamEvent& event) {
  return std::visit(overloaded{[](const TextDelta& delta) {
                                 return json{{"e", "text"}, {"text", redact_shapes(delta.text)}};
                               },
                               [](const ThinkingDelta& delta) {
                                 return json{{"e", "thinking"}, {"text", redact_shapes(delta.text)}};
                               },
                               [](const CallStarted& call) {
                                 return json{{"e", "started"}, {"id", call.id}, {"name", call.name}};
                               },
                               [](const BlockDone& done) {
                                 return json{{"e", "block"}, {"block", to_json(done.block)}};
                               },
                               [](const UsageReport& report) {
                                 const TokenUsage& u = report.usage;
                                 return json{{"e", "usage"},
                                             {"input", u.input},
                                             {"output", u.output},
                                             {"read", u.cache_read},
                                             {"write", u.cache_write}};
                               },
                               [](const Retrying& retry) {
                                 return json{{"e", "retrying"},
                                             {"why", redact_shapes(retry.why)},
                                             {"ms", retry.wait.count()},
                                             {"attempt", retry.attempt},
                                             {"attempts", retry.attempts}};
                               },
                               [](const Silence& silence) {
                                 return json{{"e", "silence"}, {"ms", silence.since.count()}};
                               },
                               [](const Finished& end) {
                                 return json{{"e", "finished"}, {"reason", int(end.reason)}};
                               },
                               [](const Failed& failed) {
                                 return json{{"e", "failed"},
                                             {"kind", int(failed.kind)},
                                             {"message", redact_shapes(failed.message)},
                                             {"limit", failed.limit},
                                             {"asked", failed.asked},
                                             {"status", failed.http_status}};
                               }},
                    event);
}

template <class E>
E in_range(std::int64_t value, E last) {
  return static_cast<E>(std::clamp<std::int64_t>(value, 0, int(last)));
}

std::optional<StreamEvent> event_from(const json& from) {
  const std::string kind = from.value("e", "");
  if (kind == "text") return TextDelta{from.value("text", "")};
  if (kind == "thinking") return ThinkingDelta{from.value("text", "")};
  if (kind == "started") return CallStarted{from.value("id", ""), from.value("name", "")};
  if (kind == "block") return BlockDone{block_from(from.value("block", json::object()))};
  if (kind == "usage")
    return UsageReport{{int_arg(from, "input", 0), int_arg(from, "output", 0), int_arg(from, "read", 0),
                        int_arg(from, "write", 0)}};
  if (kind == "retrying")
    return Retrying{from.value("why", ""), milliseconds(int_arg(from, "ms", 0)),
                    static_cast<int>(int_arg(from, "attempt", 0)),
                    static_cast<int>(int_arg(from, "attempts", 0))};
  if (kind == "silence") return Silence{milliseconds(int_arg(from, "ms", 0))};
  if (kind == "finished") return Finished{in_range(int_arg(from, "reason", 0), StopReason::cut)};
  if (kind == "failed")
    return Failed{in_range(int_arg(from, "kind", 0), Failure::protocol), from.value("message", ""),
                  int_arg(from, "limit", 0), int_arg(from, "asked", 0),
                  static_cast<int>(int_arg(from, "status", 0))};
  return std::nullopt;
}

// The end of the last user text, cut at a character.
std::string last_words(const Conversation& conversation) {
  for (auto it = conversation.items.rbegin(); it != conversation.items.rend(); ++it)
    for (const Block& block : (*it)->blocks)
      if (const auto* text = std::get_if<Text>(&block); text && (*it)->role == Role::user) {
        auto from = text->text.size() > 200 ? text->text.size() - 200 : 0;
        while (from < text->text.size() && (static_cast<unsigned char>(text->text[from]) & 0xc0) == 0x80)
          ++from;
        return text->text.substr(from);
      }
  return {};
}

// Deltas beside each other become one, so that a secret cannot hide in a cut.
void append(std::vector<StreamEvent>& events, const StreamEvent& event) {
  if (!events.empty()) {
    auto* last = std::get_if<TextDelta>(&events.back());
    const auto* more = std::get_if<TextDelta>(&event);
    if (last && more) return void(last->text += more->text);
    auto* thought = std::get_if<ThinkingDelta>(&events.back());
    const auto* more_thought = std::get_if<ThinkingDelta>(&event);
    if (thought && more_thought) return void(thought->text += more_thought->text);
  }
  events.push_back(event);
}

class RecordingProvider : public Provider {
 public:
  RecordingProvider(std::unique_ptr<Provider> inner, std::shared_ptr<Recording> recording)
      : inner_(std::move(inner)), recording_(std::move(recording)) {}

  void stream(const Request& request, const Sink& sink, std::stop_token stop) override {
    Exchange exchange{request.model,
                      last_words(request.conversation),
                      request.conversation.items.size(),
                      !request.may_call_tools,
                      {}};
    inner_->stream(
        request,
        [&](StreamEvent event) {
          append(exchange.events, event);
          sink(std::move(event));
        },
        stop);
    recording_->add(exchange);
  }
  std::string body(const Request& request) override { return inner_->body(request); }

 private:
  std::unique_ptr<Provider> inner_;
  std::shared_ptr<Recording> recording_;
};

class ReplayingProvider : public Provider {
 public:
  explicit ReplayingProvider(std::shared_ptr<Recording> recording) : recording_(std::move(recording)) {}

  void stream(const Request& request, const Sink& sink, std::stop_token stop) override {
    const auto exchange = recording_->take(!request.may_call_tools);
    if (!exchange)
      return sink(Failed{.kind = Failure::bad_request, .message = "the recording has no more answers"});
    bool ended = false;
    for (const StreamEvent& event : exchange->events) {
      if (stop.stop_requested()) return sink(Failed{.kind = Failure::cancelled, .message = "cancelled"});
      ended = std::holds_alternative<Finished>(event) || std::holds_alternative<Failed>(event);
      sink(event);
      if (ended) return;
    }
    sink(Failed{.kind = Failure::protocol, .message = "the recorded answer has no end"});
  }

 private:
  std::shared_ptr<Recording> recording_;
};

}  // namespace

std::string to_line(const Exchange& exchange) {
  json events = json::array();
  for (const StreamEvent& event : exchange.events) events.push_back(to_json(event));
  const json line{{"model", exchange.model},
                  {"items", exchange.items},
                  {"summary", exchange.summary},
                  {"last", redact_shapes(exchange.last)},
                  {"events", events}};
  return redact(line.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::optional<Exchange> from_line(std::string_view text) {
  const json line = json::parse(text, nullptr, false);
  if (!line.is_object() || !line.contains("events") || !line["events"].is_array()) return std::nullopt;
  try {
    Exchange exchange{line.value("model", ""),
                      line.value("last", ""),
                      line.value("items", std::size_t(0)),
                      line.value("summary", false),
                      {}};
    for (const json& event : line["events"])
      if (auto value = event_from(event)) exchange.events.push_back(std::move(*value));
    return exchange;
  } catch (const json::exception&) {  // a field of the wrong type: the line is not ours
    return std::nullopt;
  }
}

std::shared_ptr<Recording> Recording::create(const std::string& path, std::string& error) {
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return error = "cannot record to " + path + ": " + std::strerror(errno), nullptr;
  auto recording = std::make_shared<Recording>();
  recording->file_ = file;
  return recording;
}

std::shared_ptr<Recording> Recording::load(const std::string& path, std::string& error) {
  std::ifstream in(path);
  if (!in) return error = "cannot read the recording " + path + ": " + std::strerror(errno), nullptr;
  auto recording = std::make_shared<Recording>();
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty()) continue;
    auto exchange = from_line(line);
    if (!exchange)
      return error = path + ", line " + std::to_string(number) + ": not a recorded exchange", nullptr;
    recording->exchanges_.push_back(std::move(*exchange));
  }
  return recording;
}

Recording::~Recording() {
  if (file_ >= 0) ::close(file_);
}

void Recording::add(const Exchange& exchange) {
  const std::string line = to_line(exchange) + "\n";
  std::lock_guard lock(mutex_);
  for (std::string_view rest = line; !rest.empty();) {
    const auto n = ::write(file_, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // a full disk ends the recording, not the session
    rest.remove_prefix(std::size_t(n));
  }
}

std::optional<Exchange> Recording::take(bool summary) {
  std::lock_guard lock(mutex_);
  const auto it = std::find_if(exchanges_.begin(), exchanges_.end(),
                               [&](const Exchange& exchange) { return exchange.summary == summary; });
  if (it == exchanges_.end()) return std::nullopt;
  Exchange exchange = std::move(*it);
  exchanges_.erase(it);
  return exchange;
}

std::size_t Recording::left() const {
  std::lock_guard lock(mutex_);
  return exchanges_.size();
}

std::unique_ptr<Provider> recording_provider(std::unique_ptr<Provider> inner,
                                             std::shared_ptr<Recording> recording) {
  return std::make_unique<RecordingProvider>(std::move(inner), std::move(recording));
}

std::unique_ptr<Provider> replaying_provider(std::shared_ptr<Recording> recording) {
  return std::make_unique<ReplayingProvider>(std::move(recording));
}

}  // namespace tern
