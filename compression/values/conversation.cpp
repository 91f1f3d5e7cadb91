#include "compression/values/conversation.h"

#include <charconv>

namespace tern {

std::string to_string(RecallId id) { return "r" + std::to_string(id.value); }

RecallId parse_recall_id(std::string_view text) {
  if (!text.empty() && (text.front() == 'r' || text.front() == 'R')) text.remove_prefix(1);
  RecallId id;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id.value);
  return error == std::errc{} && end == text.data() + text.size() ? id : RecallId{};
}

}  // namespace tern
