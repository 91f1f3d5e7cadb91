// The seam to the models: a request goes out, stream events come back. A stream never throws: failure is its
// last event. Real providers are codecs (pure: request → HTTP, SSE event → stream events), one file and one
// row in providers.inc, run by HttpProvider; demo, record, replay and the tests' scripted provider implement
// Provider directly.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "compression/values/conversation.h"
#include "tools/set/tool_duty.h"

namespace tern {

struct ToolSpec {
  std::string name, description, schema;
  ToolDuty duty = ToolDuty::plain;
};

struct Request {
  std::string model;  // the provider's own name
  std::string system;
  std::vector<ToolSpec> tools;
  Conversation conversation;  // passes check(); system items are folded into `system` by the caller
  Tokens max_output = 8'000;
  Tokens window = 200'000;     // num_ctx for servers that cut silently
  int thinking = 0;            // budget in tokens, 0 = off
  std::string json_schema;     // final answer must match; empty = free
  bool may_call_tools = true;  // false for summaries: tools stay in the prefix, tool_choice none
  bool long_cache = false;  // a cache that is kept for an hour, at a higher price, where the provider has one
  bool has_fallback = false;  // there is a way on without the answer: few tries, no long waits
};

struct TokenUsage {
  Tokens input = 0, output = 0, cache_read = 0, cache_write = 0;  // input includes neither cache figure
  Tokens long_write = 0;  // the part of cache_write that is kept for an hour
  Tokens total_input() const { return input + cache_read + cache_write; }
};

// cut: the stream broke after whole text blocks; they are kept and nothing is re-run: ask the model to go on.
enum class StopReason { end, tools, length, refusal, other, cut };
enum class Failure {
  none,
  auth,
  quota,
  rate,
  overloaded,
  server,
  network,
  timeout,
  overflow,
  bad_request,
  cancelled,
  protocol
};

struct TextDelta {
  std::string text;
};
struct ThinkingDelta {
  std::string text;
};
struct CallStarted {
  std::string id, name;
};  // arguments are on their way
struct BlockDone {
  Block block;
};  // a whole text, thinking or tool call; in the order of the message
struct UsageReport {
  TokenUsage usage;
};  // may come more than once; the last one counts
// Deltas and started calls since the last BlockDone are void when this comes: the same message begins anew.
struct Retrying {
  std::string why;
  std::chrono::milliseconds wait{0};
  int attempt = 0, attempts = 0;  // tries so far; the most there will be
};                                // banner for people
struct Silence {
  std::chrono::milliseconds since{0};
};  // nothing heard for 20 s
struct Finished {
  StopReason reason = StopReason::end;
};
struct Failed {
  Failure kind = Failure::network;
  std::string message = {};     // one clear line with the way out; never a key
  Tokens limit = 0, asked = 0;  // overflow: what the provider said, when it did
  int http_status = 0;
  bool attachments = false;  // overflow: it minds pictures or documents, by bytes, number, pixels or pages
};
using StreamEvent = std::variant<TextDelta, ThinkingDelta, CallStarted, BlockDone, UsageReport, Retrying,
                                 Silence, Finished, Failed>;
using Sink = std::function<void(StreamEvent)>;

class Provider {
 public:
  virtual ~Provider() = default;
  // Blocks until the stream has ended; the last event is Finished or Failed. Cancelled within 50 ms of stop.
  // Called from one thread at a time per object, but several objects may stream at once (drafts).
  virtual void stream(const Request& request, const Sink& sink, std::stop_token stop) = 0;
  // The exact body that stream() would send, for `tern debug request`; empty for those without a wire.
  virtual std::string body(const Request&) { return {}; }
};

// What a provider needs to be made; keys live here and in http only.
struct ProviderConfig {
  std::string base_url, key;
  std::string key_from;  // the variable or file it comes from, named when the service refuses it
  std::vector<std::pair<std::string, std::string>> headers;  // extra, from the user's file
  bool bearer = false;              // the key is a token: Authorization, not x-api-key
  std::optional<bool> tool_search;  // it has one of its own; not said: where that is known
  bool paced = false;               // demo only: at reading speed, for people
};

}  // namespace tern
