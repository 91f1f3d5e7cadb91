#include "agent/models/claude_kind.h"

#include <algorithm>

namespace tern {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A number of one or two digits at the front, taken off; a longer one is a date and none.
int take_number(std::string_view& text) {
  const auto digits = std::size_t(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
  if (digits == 0 || digits > 2) return 0;
  int number = 0;
  for (const char c : text.substr(0, digits)) number = number * 10 + (c - '0');
  text.remove_prefix(digits);
  return number;
}

// "claude-opus-4-7-20260416" → 407, "claude-sonnet-5" → 500, "claude-3-7-sonnet" → 0: its number stands
// before its name.
int version_of(std::string_view model) {
  if (const auto at = model.rfind("claude-"); at != model.npos) model.remove_prefix(at + 7);
  const auto dash = model.find('-');
  if (model.empty() || is_digit(model.front()) || dash == model.npos) return 0;
  model.remove_prefix(dash + 1);
  const int major = take_number(model);
  if (model.empty() || (model.front() != '-' && model.front() != '.')) return major * 100;
  model.remove_prefix(1);
  return major * 100 + take_number(model);
}

}  // namespace

ClaudeKind claude_kind(std::string_view model) {
  const int version = version_of(model);
  return {.searches = version >= 405,
          .adaptive = version >= 407,
          .by_default = version >= 500,
          .binds = version >= 501};
}

}  // namespace tern
