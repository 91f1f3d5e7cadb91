// A key that somebody pasted: whose it probably is, and whether the service takes it.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/models/providers.h"

namespace tern {

// The providers whose keys look like this, the likeliest first; empty = none is known.
std::vector<std::string_view> providers_of_key(std::string_view key);
// Those that want a key, in the order of the rows; one of several that take the same key.
std::vector<std::string> keyed_providers();

struct KeyTrial {
  bool works = false;
  bool refused = false;  // the service does not know the key: it may be another's
  std::string why;       // for people, when it does not work
};
// One small request to the provider's default model, or to `model`.
KeyTrial try_key(const ProviderKind& kind, ProviderConfig config, std::string_view model,
                 std::stop_token stop);
// What a key of this provider is used with when nothing else is said.
std::string_view first_model(const ProviderKind& kind);

}  // namespace tern
