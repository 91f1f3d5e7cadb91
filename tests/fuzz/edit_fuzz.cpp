// Any bytes as file, old and new text: nothing crashes, an edit that is done keeps what stands before the
// first and behind the last difference, and every decoded view leads back to bytes inside the file.
//
// also built of: tools/files/edit_hints.cpp
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tools/files/diff.h"
#include "tools/files/edit_match.h"
#include "tools/files/encoding.h"
#include "tools/files/read_page.h"
#include "tools/search/regex.h"
#include "tools/workspace/ignore.h"

using namespace tern;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_edit(std::string_view file, const EditRequest& request) {
  EditOutcome outcome = apply_edit(file, request);
  require(outcome.error.empty() != outcome.lines.empty() || !outcome.error.empty());
  if (!outcome.error.empty()) return;
  const std::size_t first =
      file.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // a byte order mark is no text to be matched
  std::size_t at = file.find(request.old_text, first);
  if (outcome.lines.size() != 1 || at == file.npos || file.find('\r') != file.npos ||
      detect(file).encoding != Encoding::utf8)
    return;
  require(outcome.bytes.substr(0, at) == file.substr(0, at));
  std::size_t behind = file.size() - at - request.old_text.size();
  require(outcome.bytes.size() >= behind &&
          outcome.bytes.substr(outcome.bytes.size() - behind) == file.substr(file.size() - behind));
}

void check_view(std::string_view file) {
  TextView view(file, detect(file));
  std::string_view text = view.text();
  for (std::size_t at = 0; at <= text.size(); at += 1 + text.size() / 64)
    require(view.source(at) <= file.size());
  ReadPage page = page_of(text, 1, 50);
  require(to_valid_utf8(page.text) == page.text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  std::string_view all(reinterpret_cast<const char*>(data) + 3, size - 3);
  std::string_view file = all.substr(0, all.size() * 3 / 4), fresh = all.substr(file.size());
  std::size_t from = file.empty() ? 0 : data[0] * file.size() / 256, length = data[1] % 24;
  EditRequest request{std::string(file.substr(from, length)), std::string(fresh), (data[2] & 1) != 0,
                      (data[2] & 16) != 0};
  if (data[2] & 2) {
    for (char& c : request.old_text) c = c == '\t' ? ' ' : c;
  }
  if (!request.old_text.empty()) check_edit(file, request);
  check_view(file);
  unified_diff(file, fresh, data[0] % 4);
  wildmatch(fresh.substr(0, 24), file.substr(0, 40), (data[2] & 4) != 0);
  std::string error;
  if (auto regex = Regex::compile(fresh.substr(0, 20), {.ignore_case = (data[2] & 8) != 0}, error)) {
    Matcher matcher(*regex);
    for (std::size_t at = 0; auto match = matcher.find(file, at);) {
      require(match->begin >= at && match->end <= file.size());
      at = match->end > match->begin ? match->end : match->end + 1;
      if (at > file.size()) break;
    }
  }
  return 0;
}
