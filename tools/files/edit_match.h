// The heart of Edit, pure: bytes in, bytes out. Finds old_text exactly, or on a view that ignores line
// endings, then typographic twins, then trailing blanks, then indentation; replaces only the matched span,
// and inside it keeps every byte that the edit does not change: line endings, indentation, quotes and
// encoding are the file's own.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tools/files/encoding.h"

namespace tern {

struct EditRequest {
  std::string old_text, new_text;
  bool all = false;
  bool take_unit = false;  // bring new lines to the unit the file is indented with (see indent_unit.h)
};

struct EditOutcome {
  std::string bytes;               // the whole file afterwards; only when there is no error
  std::string error;               // for the model
  std::string ignoring;            // what the match ignored: "indentation"; empty = matched exactly
  std::string indented;            // the unit new lines were brought to: "tabs"; empty = as they were written
  std::vector<std::size_t> lines;  // 1-based first lines of what was replaced, in the old file
};

EditOutcome apply_edit(std::string_view file, const EditRequest& request);
EditOutcome apply_edit(std::string_view file, const EditRequest& request, const Charset& charset,
                       const std::stop_token& stop = {});

// "// ... rest of code" and its kin, standing in for text that would be lost; empty = none.
std::string find_placeholder(std::string_view new_text, std::string_view old_text);

// The lines most like old_text, numbered, blanks made visible, and where the first difference is; empty when
// nothing is close.
std::string nearest_lines(std::string_view text, std::string_view old_text);

}  // namespace tern
