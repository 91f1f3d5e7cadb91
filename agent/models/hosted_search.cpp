#include "agent/models/hosted_search.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/models/codec.h"
#include "agent/models/codec_json.h"

namespace tern {
namespace {

constexpr std::size_t most_sources = 20;
constexpr std::string_view hosted = "hosted";  // in place of a schema: none of ours is called so

struct SearcherRow {
  std::string_view provider, searcher;
};
constexpr SearcherRow searchers[] = {
    {"anthropic", "anthropic"}, {"openai", "responses"}, {"responses", "responses"}, {"gemini", "gemini"}};

}  // namespace

std::string_view searcher_of(std::string_view provider) {
  for (const auto& row : searchers)
    if (row.provider == provider) return row.searcher;
  return {};
}

ToolSpec hosted_search() { return {"web_search", "", std::string(hosted)}; }

bool asks_the_web(const Request& request) {
  return request.tools.size() == 1 && request.tools.front().schema == hosted;
}

void HostedSources::add(const nlohmann::json& source) {
  if (!source.is_object() || found_.size() >= most_sources) return;
  std::string address = text_field(source, "url");
  if (address.empty()) address = text_field(source, "uri");
  const auto known = [&](const auto& one) { return one.first == address; };
  if (address.empty() || std::any_of(found_.begin(), found_.end(), known)) return;
  found_.emplace_back(std::move(address), text_field(source, "title"));
}

void HostedSources::add_all(const nlohmann::json& sources) {
  if (!sources.is_array()) return;
  for (const auto& source : sources) add(source);
}

void HostedSources::tell(StreamOut& out) {
  if (found_.empty()) return;
  std::string text = "\n\nSources:";
  for (const auto& [address, title] : std::exchange(found_, {}))
    text += "\n- " + (title.empty() ? "" : title + ": ") + address;
  out.emit(BlockDone{Text{std::move(text)}});
}

}  // namespace tern
