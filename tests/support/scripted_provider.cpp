#include "tests/support/scripted_provider.h"

#include <condition_variable>

namespace tern::test {
namespace {

void wait_for(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop, [] { return false; });
}

}  // namespace

Reply says(std::string text, TokenUsage usage) {
  return {.events = {TextDelta{text}, BlockDone{Text{text}}, UsageReport{usage}, Finished{StopReason::end}}};
}

Reply calls(std::vector<ToolCall> calls, std::string text, TokenUsage usage) {
  Reply reply;
  if (!text.empty()) reply.events = {TextDelta{text}, BlockDone{Text{text}}};
  for (ToolCall& call : calls) {
    reply.events.push_back(CallStarted{call.id, call.name});
    reply.events.push_back(BlockDone{std::move(call)});
  }
  reply.events.push_back(UsageReport{usage});
  reply.events.push_back(Finished{StopReason::tools});
  return reply;
}

Reply fails(Failure kind, std::string message, Tokens limit, Tokens asked) {
  return {.events = {Failed{.kind = kind, .message = std::move(message), .limit = limit, .asked = asked}}};
}

Reply hangs(std::string text) {
  Reply reply{.wait_for_stop = true};
  if (!text.empty()) reply.events.push_back(TextDelta{std::move(text)});
  return reply;
}

ScriptedProvider::ScriptedProvider(std::vector<Reply> replies) : replies_(replies.begin(), replies.end()) {}

ScriptedProvider& ScriptedProvider::then(Reply reply) {
  std::lock_guard lock(mutex_);
  replies_.push_back(std::move(reply));
  return *this;
}

ScriptedProvider& ScriptedProvider::otherwise(std::function<Reply(const Request&)> answer) {
  otherwise_ = std::move(answer);
  return *this;
}

ScriptedProvider& ScriptedProvider::summaries(std::function<Reply(const Request&)> answer) {
  summaries_ = std::move(answer);
  return *this;
}

Reply ScriptedProvider::next(const Request& request) {
  std::lock_guard lock(mutex_);
  requests_.push_back(request);
  if (summaries_ && !request.may_call_tools) return summaries_(request);
  if (!replies_.empty()) {
    Reply reply = std::move(replies_.front());
    replies_.pop_front();
    return reply;
  }
  return otherwise_ ? otherwise_(request) : fails(Failure::bad_request, "the script has no more replies");
}

void ScriptedProvider::stream(const Request& request, const Sink& sink, std::stop_token stop) {
  Reply reply = next(request);
  if (reply.before) reply.before(request);
  for (StreamEvent& event : reply.events) {
    if (stop.stop_requested()) return sink(Failed{.kind = Failure::cancelled, .message = "cancelled"});
    sink(std::move(event));
  }
  if (!reply.wait_for_stop) return;
  wait_for(stop);
  sink(Failed{.kind = Failure::cancelled, .message = "cancelled"});
}

std::vector<Request> ScriptedProvider::requests() const {
  std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t ScriptedProvider::left() const {
  std::lock_guard lock(mutex_);
  return replies_.size();
}

}  // namespace tern::test
