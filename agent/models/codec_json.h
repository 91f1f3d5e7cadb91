// Fields of the JSON that servers send: absent and of another type are the same as empty. For codecs only.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "compression/values/conversation.h"
#include "tools/set/args.h"

namespace tern {

// One event of a stream; no object when it is broken or nested beyond all sense.
inline nlohmann::json event_object(std::string_view data) {
  return nests_too_deep(data) ? nlohmann::json() : nlohmann::json::parse(data, nullptr, false);
}

inline std::string text_field(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

inline Tokens number_field(const nlohmann::json& object, const char* key) {
  return object.is_object() ? int_arg(object, key, 0) : 0;
}

}  // namespace tern
