// A conversation as lines of text, so that a test states its world and compares a picture.
//
//   system TEXT              user [ID] TEXT            assistant [ID] TEXT
//   think TEXT               a thought in the assistant message that is open (or opens one)
//   say TEXT                 one more text in the message that is open
//   call N Tool SUBJECT      call id "cN"; several in a row make one message
//   result N 300 lines       generated text fit for the tool ("chars" and "tokens" work too); recall id rN
//   result N = TEXT          literal text; several results in a row make one message
//   error N = TEXT           the same with is_error
//   image N bytes            document N bytes          in the user message that is open (or opens one)
//   summary A-B TEXT         a synthetic user message that stands for items A to B
//   pin [ID]                 the message that is open, or that one
//   at +5m                   the clock before the next message moves (s, m, h); otherwise 10 s a message
//   # note                   ignored, like blank lines
//
// Items are numbered 1, 2, 3 … in order; an ID sets the count. "\n" and "\t" in TEXT are escapes.
#pragma once

#include <string>
#include <string_view>

#include "compression/values/context_edit.h"
#include "compression/values/conversation.h"

namespace tern::test {

Conversation script(std::string_view text);  // throws std::invalid_argument naming the line

// The way back, a line for each block; texts over `limit` characters are shown as "<12 lines, 340 chars>".
std::string to_script(const Conversation& conversation, std::size_t limit = 200);
std::string to_script(const Edits& edits,
                      std::size_t limit = 200);  // "replace 4.0 result 2 = …", "drop 5", "insert 6: user …"

std::string generated_lines(std::string_view tool, std::string_view subject, int lines, unsigned seed);

}  // namespace tern::test
