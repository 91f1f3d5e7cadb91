// One answer of the model, gathered from its stream. Whatever ends the stream, what it holds can be sent
// again: only closed tool calls, no unsigned thought, no empty text.
#pragma once

#include <functional>
#include <optional>

#include "agent/models/provider.h"
#include "agent/protocol/event.h"

namespace tern {

struct ModelReply {
  std::vector<Block> blocks;
  TokenUsage usage;
  bool usage_reported = false;
  TokenUsage wasted;  // of tries that broke off and were made again
  StopReason reason = StopReason::other;
  std::optional<Failed> failed;  // none: the stream ended well
  bool interrupted = false;      // by the person

  std::vector<ToolCall> calls() const;
  std::string text() const;  // all text blocks joined
};

// Streams one request and shows it as it comes. Never throws; called on one thread.
ModelReply ask(Provider& provider, const Request& request, const std::function<void(Event)>& emit,
               std::stop_token stop, const std::function<void()>& text_done = {});

}  // namespace tern
