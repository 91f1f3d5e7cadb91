// What is known about models: windows, limits, prices, the small model for summaries. A value: the built-in
// table plus what the user's file describes. A model nobody described gets safe values, never an error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/models/provider.h"

namespace tern {

struct ModelInfo {
  std::string provider, name;
  Tokens window = 32'768, max_output = 4'096;
  std::optional<Tokens> optimum;  // best context when it lies below the window
  double input = 0, output = 0, cache_read = 0, cache_write = 0;  // dollars per million tokens
  std::string small_model;  // same provider; empty = none, use the model itself
  bool images = false, thinking = false, caching = false;
  bool priced = false;  // the four prices mean something
  bool known = false;   // in the table or described by the user

  double dollars(const TokenUsage& usage) const;
  double long_write() const {
    return 2 * input;
  }  // of a token whose cache is kept for an hour, dollars per million
  bool sells_hours() const { return provider == "anthropic" && cache_write > input; }
  // Output to ask for and to reserve: ≤ 20k, ≤ an eighth of the window, ≤ what the model can.
  Tokens reserve(Tokens window_override = 0) const;
};

struct ModelName {
  std::string provider, model;
  bool operator==(const ModelName&) const = default;
};

// The fields a description of a model may have, as Models::describe reads them.
std::vector<std::string> model_fields();

class Models {
 public:
  Models();  // the built-in table

  // "provider/name" with a JSON object: window, maxOutput, optimum, input, output, cacheRead, cacheWrite,
  // smallModel, images, thinking, caching, alias. Returns what is wrong with it; empty = taken.
  std::string describe(std::string_view name, std::string_view json);
  void alias(std::string name, ModelName target);

  ModelInfo find(std::string_view provider, std::string_view model) const;
  // "sonnet", "openai/gpt-5", "claude-sonnet-4-5", "ollama/qwen3:8b"; nothing when no provider can be told.
  std::optional<ModelName> resolve(std::string_view text) const;
  // "provider/name" of everything known, for lists and completion; aliases as "sonnet = anthropic/…".
  std::vector<std::string> names() const;

 private:
  struct Alias {
    std::string name;
    ModelName target;
  };
  std::vector<ModelInfo> described_;
  std::vector<Alias> aliases_;
};

}  // namespace tern
