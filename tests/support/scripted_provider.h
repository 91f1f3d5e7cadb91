// A provider in the test's own process: plays a list of replies and remembers every request. One reply per
// stream().
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "agent/models/provider.h"

namespace tern::test {

struct Reply {
  std::vector<StreamEvent> events = {};             // the last one is Finished or Failed
  std::function<void(const Request&)> before = {};  // runs first: look at the request, request a stop …
  bool wait_for_stop = false;  // after the events before the last: block until stop, then Failed{cancelled}
};

Reply says(std::string text, TokenUsage usage = {});                                     // text, end
Reply calls(std::vector<ToolCall> calls, std::string text = {}, TokenUsage usage = {});  // text, calls, tools
Reply fails(Failure kind, std::string message = {}, Tokens limit = 0, Tokens asked = 0);
Reply hangs(std::string text = {});  // some text, then silence until stop

class ScriptedProvider : public Provider {
 public:
  ScriptedProvider() = default;
  explicit ScriptedProvider(std::vector<Reply> replies);

  ScriptedProvider& then(Reply reply);
  // Answers whatever the list does not (or when it is used up); without it an extra request fails loudly.
  ScriptedProvider& otherwise(std::function<Reply(const Request&)> answer);
  // Requests with may_call_tools == false (summaries) go here when set, not to the list.
  ScriptedProvider& summaries(std::function<Reply(const Request&)> answer);

  void stream(const Request& request, const Sink& sink, std::stop_token stop) override;

  std::vector<Request> requests() const;  // all so far, summaries too; safe while streaming
  std::size_t left() const;

 private:
  Reply next(const Request& request);

  mutable std::mutex mutex_;
  std::deque<Reply> replies_;
  std::function<Reply(const Request&)> otherwise_, summaries_;
  std::vector<Request> requests_;
};

}  // namespace tern::test
