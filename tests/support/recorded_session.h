// A recorded prefix as a Conversation and back: JSON lines in the scorer's schema in, the messages of the
// next request out. Whatever the lines hold (nothing, broken UTF-8, odd roles, unknown blocks, calls without
// results), what comes out is a message list every provider would take.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <utility>
#include <vector>

#include "compression/values/conversation.h"

namespace tern::test {

struct RecordedSession {
  Conversation conversation;
  std::map<std::uint32_t, std::vector<std::pair<std::size_t, std::size_t>>>
      recall;  // id -> message and block
  std::size_t messages = 0;
  Tokens tokens = 0;  // as the caller counts: a quarter of the characters of each block, four for a message
};
RecordedSession recorded_session(std::istream& in);

// Neighbours of one role are one message, results before other text.
nlohmann::ordered_json wire_messages(const Conversation& conversation);
Tokens wire_tokens(const nlohmann::ordered_json& messages);

}  // namespace tern::test
