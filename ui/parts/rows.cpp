#include "ui/parts/rows.h"

#include <algorithm>
#include <string>

#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace tern {
namespace {

// The fence a line belongs to, as CommonMark says: "```js" inside of "````md" is text.
class Fence {
 public:
  bool open() const { return length_ > 0; }

  void line(std::string_view line) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    line.remove_prefix(indent);
    const char letter = line.empty() ? ' ' : line[0];
    const std::size_t length = std::min(line.find_first_not_of(letter), line.size());
    if (length < 3 || (letter != '`' && letter != '~')) return;
    const std::string_view rest = line.substr(length);
    if (open()) {
      const bool closes = letter == letter_ && length >= length_ && indent <= indent_ + 3;
      if (closes && rest.find_first_not_of(" \t\r") == rest.npos) length_ = 0;
    } else if (letter == '~' || rest.find('`') == rest.npos) {
      letter_ = letter;
      length_ = length;
      indent_ = indent;
    }
  }

 private:
  char letter_ = 0;
  std::size_t length_ = 0, indent_ = 0;
};

// Where the text so far may be cut for good: after a blank line outside a fence, before a line that begins a
// new block.
std::size_t stable_end(std::string_view text, std::size_t from) {
  std::size_t stable = from;
  Fence fence;
  bool after_blank = false;
  for (std::size_t at = from; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == text.npos) break;
    const std::string_view line = text.substr(at, end - at);
    const bool begins_block = !line.empty() && line[0] != ' ' && line[0] != '\t' && line[0] != '-' &&
                              line[0] != '*' && line[0] != '+' && line[0] != '>' &&
                              !(line[0] >= '0' && line[0] <= '9');
    if (after_blank && !fence.open() && begins_block) stable = at;
    fence.line(line);
    after_blank = line.empty();
    at = end + 1;
  }
  return stable;
}

void append_markdown(Rows& rows, std::string_view markdown, const RowOptions& options, bool streaming) {
  Cell piece;
  piece.body = AssistantCell{std::string(markdown), streaming, false};
  Rows made = rows_of(piece, options);
  if (!rows.empty() && !made.empty()) rows.push_back(RowBuilder().gutter("  ").take());
  append(rows, std::move(made));
}

}  // namespace

void stream_rows(StreamRows& stream, const AssistantCell& cell, const RowOptions& options) {
  const std::string_view text = cell.markdown;
  stream.rows.resize(std::min(stream.stable_rows, stream.rows.size()));
  if (const std::size_t end = stable_end(text, stream.stable_bytes); end > stream.stable_bytes) {
    append_markdown(stream.rows, text.substr(stream.stable_bytes, end - stream.stable_bytes), options, false);
    stream.stable_bytes = end;
    stream.stable_rows = stream.rows.size();
  }
  append_markdown(stream.rows, text.substr(stream.stable_bytes), options, true);
}

}  // namespace tern
