// The keys of what begins the next window and of the provider's cache.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config_keys.h"

namespace tern {
namespace {

using Json = nlohmann::json;

// A key that is one of a few words, each for a value of E in their order.
template <class E>
ConfigKey choice(const char* name, E CompressionConfig::*field, std::vector<std::string> words,
                 const char* help) {
  std::string wants = "one of";
  for (const auto& word : words) wants += " " + word;
  return {.name = name,
          .wants = wants,
          .help = help,
          .set =
              [=](Config& config, const Json& json) {
                const auto found =
                    std::find(words.begin(), words.end(), json.is_string() ? json.get<std::string>() : "");
                if (found == words.end()) return false;
                config.compression.*field = static_cast<E>(found - words.begin());
                return true;
              },
          .get = [=](const Config& c) { return Json(words[static_cast<std::size_t>(c.compression.*field)]); },
          .text = true};
}

}  // namespace

std::vector<ConfigKey> context_keys() {
  ConfigKey notes{.name = "compression.noteBudget",
                  .wants = "a whole number from 0 to 100000",
                  .help = "tokens of the notes in a window"};
  notes.set = [](Config& config, const Json& json) {
    if (!json.is_number_integer() || json < 0 || json > 100'000) return false;
    config.compression.note_budget = json.get<Tokens>();
    return true;
  };
  notes.get = [](const Config& c) { return Json(c.compression.note_budget); };
  ConfigKey hour{
      .name = "compression.longCache",
      .wants = "true or false",
      .help =
          "ask the provider for a cache of one hour when the pauses between your prompts say that it pays"};
  hour.set = [](Config& config, const Json& json) {
    if (!json.is_boolean()) return false;
    config.compression.long_cache = json.get<bool>();
    return true;
  };
  hour.get = [](const Config& c) { return Json(c.compression.long_cache); };
  return {
      std::move(notes), std::move(hour),
      choice(
          "compression.contextStyle", &CompressionConfig::context_style, {"summary", "notes", "auto"},
          "how a compaction begins the next window: by a summary, by the model's notes, or by what there is"),
      choice("compression.coldCache", &CompressionConfig::cold_cache, {"compact", "ask", "leave"},
             "when the provider's cache has expired: compact first if that saves 20%, ask, or do nothing")};
}

}  // namespace tern
