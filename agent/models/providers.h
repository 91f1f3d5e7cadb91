// The list of providers, read from providers.inc: one row, one file. Names are what stands before the slash
// in "anthropic/claude-sonnet-4-5". Keys come from the environment or the user's file, never from a project.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/models/provider.h"

namespace tern {

class Codec;
struct RunOptions;  // http_provider.h

struct ProviderKind {
  std::string_view name, title;
  std::string_view base_url;       // where it lives when nothing else is said
  std::string_view default_model;  // empty: the server is asked, or the person
  std::string_view key_variables;  // names in the environment, separated by spaces; the first one set wins
  std::string_view url_variable, model_variable;
  bool needs_key = true;
  bool local = false;  // runs on this machine unless told otherwise; free of charge
  // One of the two: a dialect for HttpProvider, or a provider without a wire.
  std::unique_ptr<Codec> (*codec)(const ProviderConfig& config) = nullptr;
  std::unique_ptr<Provider> (*make)(const ProviderConfig& config) = nullptr;
};

const std::vector<const ProviderKind*>& all_providers();
const ProviderKind* find_provider(std::string_view name);  // null when unknown

// Looks a variable up; empty when it is not set. Tests pass a map, the program passes environment().
using Environment = std::function<std::string(const std::string& name)>;
Environment environment();

// Base URL, key and bearer form of a kind as the environment says. A key found is registered with the
// redactor.
ProviderConfig provider_config(const ProviderKind& kind, const Environment& env);
// Registers the keys of all kinds with the redactor, also of those that are not used.
void hide_keys(const Environment& env);
// The first kind whose key is set, in the order of the rows; null when there is none.
const ProviderKind* provider_with_key(const Environment& env);
// The service itself wants a key; a server at an address of one's own says so if it does.
bool lacks_key(const ProviderKind& kind, const ProviderConfig& config);

// Null for an unknown name. Empty fields of the config take the kind's defaults.
std::unique_ptr<Provider> make_provider(std::string_view name, ProviderConfig config);
// With other clocks and chances, for tests.
std::unique_ptr<Provider> make_provider_with(std::string_view name, ProviderConfig config,
                                             RunOptions options);

struct ServedModel {
  std::string name;
  Tokens window = 0;  // that it was started with; 0: the server does not say
};
// Asks a local server for its models (GET /v1/models), within the given time; empty when nobody answers.
std::vector<ServedModel> served_models(const ProviderKind& kind, const ProviderConfig& config,
                                       std::chrono::milliseconds patience);

}  // namespace tern
