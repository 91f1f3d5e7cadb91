// The bytes of a stream through parser and decoder, in steps of any size, folded to what counts.
#pragma once

#include <memory>
#include <string>

#include "agent/models/codec.h"
#include "agent/models/providers.h"
#include "agent/models/sse.h"

namespace tern::test {

struct Decoded {
  std::string text, thinking;
  std::vector<Block> blocks;
  std::vector<std::string> started;
  int finished = -1, failed = -1;  // StopReason, Failure
  bool operator==(const Decoded&) const = default;
};

inline Decoded decode(std::string_view provider, const Request& request, std::string_view bytes,
                      std::size_t first, std::size_t step) {
  const auto codec = find_provider(provider)->codec({.base_url = "https://h", .key = "", .headers = {}});
  const auto decoder = codec->decoder(request);
  Decoded result;
  StreamOut out(
      [&](StreamEvent event) {
        if (const auto* text = std::get_if<TextDelta>(&event)) result.text += text->text;
        if (const auto* thought = std::get_if<ThinkingDelta>(&event)) result.thinking += thought->text;
        if (const auto* call = std::get_if<CallStarted>(&event)) result.started.push_back(call->name);
        if (auto* done = std::get_if<BlockDone>(&event)) result.blocks.push_back(std::move(done->block));
      },
      codec->hold(), request.may_call_tools);
  SseParser parser(codec->lines() ? SseParser::Form::lines : SseParser::Form::events);
  for (std::size_t at = 0, size = first ? first : step; at < bytes.size(); at += size, size = step) {
    const std::string chunk(bytes.substr(at, size));  // its own memory: a view that outlives it is found out
    parser.feed(chunk, [&](auto name, auto data) { decode_event(*decoder, name, data, out); });
  }
  if (!out.finished() && !out.trouble()) decoder->end(out);
  out.flush();
  if (out.finished()) result.finished = int(*out.finished());
  if (out.trouble()) result.failed = int(out.trouble()->kind);
  return result;
}

}  // namespace tern::test
