// Tool calls that a local model wrote as text instead of making them: taken out tolerantly, but only when
// they name a tool that was offered, so that an answer about calls stays an answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/models/codec.h"

namespace tern {

struct TextCalls {
  std::string text;             // what remains for people
  std::vector<ToolCall> calls;  // ids "text_<serial>_<n>"
};
// Knows <tool_call>{…}</tool_call>, <function=X><parameter=y>…, <|python_tag|>{…}, [TOOL_CALLS][…], a fenced
// or bare JSON object {"name", "arguments" or "parameters"} that is the whole answer or its end.
TextCalls take_text_calls(std::string_view text, const std::vector<ToolSpec>& tools, std::uint64_t serial);

// "<think>…</think>" at the beginning of a text that is still coming: what is inside goes out as thinking,
// the rest as text.
class ThinkTags {
 public:
  void feed(std::string_view piece, StreamOut& out);
  void end(StreamOut& out);  // what was held back because it might have become a tag

 private:
  enum class Where { start, inside, gap, after } where_ = Where::start;
  std::string held_;
};

// "<think>…</think> rest": the thought and the rest; an empty thought when there is none.
std::pair<std::string, std::string> split_think(std::string_view text);

}  // namespace tern
