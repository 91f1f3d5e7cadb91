// Making new text fit the place it goes to: what the edit does not change keeps its bytes, what it adds takes
// the line ending, indentation and quote style of the span it replaces. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/files/encoding.h"

namespace tern {

// `raw` is the matched span as the file has it, `old_text` and `new_text` as the model wrote them.
std::string adapt_text(std::string_view raw, std::string_view old_text, std::string_view new_text,
                       std::string_view ending);

// `fresh` in the file's encoding; the parts at both ends that it shares with `raw` keep their original bytes.
std::optional<std::string> splice_encoded(std::string_view raw, std::string_view raw_bytes,
                                          std::string_view fresh, const Charset& charset,
                                          std::string& misfit);

// "12<TAB>code" on every line.
bool looks_numbered(std::string_view text);

}  // namespace tern
