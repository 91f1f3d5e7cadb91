#include "tests/support/fake_binding.h"

#include <nlohmann/json.hpp>

namespace tern::test {
namespace {

using nlohmann::json;

// Cache markers are no part of the comparison, and the thoughts of before are checked for themselves.
json plain(const json& value) {
  if (!value.is_array() && !value.is_object()) return value;
  json out = value.is_array() ? json::array() : json::object();
  for (const auto& [key, inner] : value.items()) {
    if (key == "cache_control" || (inner.is_object() && inner.contains("signature"))) continue;
    if (value.is_array())
      out.push_back(plain(inner));
    else
      out[key] = plain(inner);
  }
  return out;
}

std::string prefix(const json& body, std::size_t messages) {
  json before = json::array();
  for (std::size_t i = 0; i < messages; ++i) before.push_back(plain(body["messages"][i]));
  return plain(body.value("system", json())).dump() + plain(body.value("tools", json())).dump() +
         before.dump();
}

}  // namespace

std::string FakeBinding::refusal(const FakeRequest& request) const {
  const json body = json::parse(request.body);
  const json binding = body.value("/thinking/block_binding/prefix_mismatch_behavior"_json_pointer, json(""));
  const bool header =
      request.header("anthropic-beta").find("thinking-binding-controls-2026-08-01") != std::string::npos;
  if (binding != "" && !header) return "thinking.adaptive.block_binding: Extra inputs are not permitted";
  if (binding == "drop_block") return {};
  for (std::size_t i = 0; i < body["messages"].size(); ++i)
    for (const json& block : body["messages"][i]["content"])
      if (const auto found = prefixes_.find(block.value("signature", ""));
          found != prefixes_.end() && found->second != prefix(body, i))
        return "messages." + std::to_string(i) +
               ".content.0: Invalid `signature` in `thinking` block. The block is bound to a different "
               "conversation. Remove the "
               "block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".";
  return {};
}

void FakeBinding::thought(const FakeRequest& request, const std::string& signature) {
  const json body = json::parse(request.body);
  prefixes_[signature] = prefix(body, body["messages"].size());
}

}  // namespace tern::test
