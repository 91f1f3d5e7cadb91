#include "agent/models/providers.h"

#include <cstdlib>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "agent/models/http.h"
#include "agent/models/http_provider.h"
#include "agent/models/redact.h"
#include "agent/models/url.h"
#include "tools/set/args.h"

namespace tern {

namespace providers {
#define PROVIDER(name) extern const ProviderKind name;
#include "agent/models/providers.inc"
#undef PROVIDER
}  // namespace providers

namespace {

std::string first_set(std::string_view names, const Environment& env, std::string* which = nullptr) {
  while (!names.empty()) {
    const auto blank = std::min(names.find(' '), names.size());
    const std::string name(names.substr(0, blank));
    if (std::string value = env(name); !value.empty()) {
      if (which) *which = name;
      return value;
    }
    names.remove_prefix(std::min(blank + 1, names.size()));
  }
  return {};
}

}  // namespace

const std::vector<const ProviderKind*>& all_providers() {
  static const std::vector<const ProviderKind*> list{
#define PROVIDER(name) &providers::name,
#include "agent/models/providers.inc"
#undef PROVIDER
  };
  return list;
}

const ProviderKind* find_provider(std::string_view name) {
  for (const ProviderKind* kind : all_providers())
    if (kind->name == name) return kind;
  return nullptr;
}

Environment environment() {
  return [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return std::string(value ? value : "");
  };
}

ProviderConfig provider_config(const ProviderKind& kind, const Environment& env) {
  ProviderConfig config;
  std::string variable;
  config.key = first_set(kind.key_variables, env, &variable);
  config.bearer = variable.ends_with("_AUTH_TOKEN");
  config.key_from = variable;
  config.base_url = first_set(kind.url_variable, env);
  if (!config.base_url.empty() &&
      config.base_url.find("://") == std::string::npos)  // OLLAMA_HOST=127.0.0.1:11434
    config.base_url = host_url(config.base_url, parse_url(kind.base_url).port);
  register_secret(config.key);
  return config;
}

void hide_keys(const Environment& env) {
  const auto hidden = [&](const std::string& name) {
    register_secret(env(name));
    return std::string();  // so that it asks for the next name
  };
  for (const ProviderKind* kind : all_providers()) first_set(kind->key_variables, hidden);
}

const ProviderKind* provider_with_key(const Environment& env) {
  for (const ProviderKind* kind : all_providers())
    if (kind->needs_key && !first_set(kind->key_variables, env).empty()) return kind;
  for (const ProviderKind* kind : all_providers())  // an address of one's own is a choice, too
    if (kind->needs_key && !first_set(kind->url_variable, env).empty()) return kind;
  return nullptr;
}

bool lacks_key(const ProviderKind& kind, const ProviderConfig& config) {
  return kind.needs_key && config.key.empty() && config.base_url.empty();
}

// "Authorization: Bearer abc" of the person's file is as secret as a key.
static void register_headers(const ProviderConfig& config) {
  static constexpr std::string_view telling[] = {"auth", "key", "token", "secret", "cookie"};
  for (const auto& [name, value] : config.headers) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto tells = [&](std::string_view word) { return lower.find(word) != std::string::npos; };
    if (std::any_of(std::begin(telling), std::end(telling), tells))
      register_secret(value.substr(value.rfind(' ') + 1));
  }
}

std::unique_ptr<Provider> make_provider_with(std::string_view name, ProviderConfig config,
                                             RunOptions options) {
  const ProviderKind* kind = find_provider(name);
  if (!kind) return nullptr;
  register_secret(config.key);
  register_headers(config);
  options.key_from = config.key_from;
  if (config.key.empty() && config.headers.empty())
    options.key_wanted = kind->key_variables.substr(0, kind->key_variables.find(' '));
  if (config.base_url.empty()) config.base_url = kind->base_url;
  if (kind->codec) return std::make_unique<HttpProvider>(kind->codec(config), std::move(options));
  return kind->make(config);
}

std::unique_ptr<Provider> make_provider(std::string_view name, ProviderConfig config) {
  RunOptions options;
  const ProviderKind* kind = find_provider(name);
  const bool here = kind && (kind->local || is_loopback(parse_url(config.base_url).host));
  if (here)
    options.timeouts.first_byte =
        std::chrono::minutes(10);  // reading a long prompt takes this machine its time
  if (const auto patience = std::atoll(environment()("API_TIMEOUT_MS").c_str()); patience > 0)
    options.timeouts.first_byte = options.timeouts.idle = std::chrono::milliseconds(patience);
  return make_provider_with(name, std::move(config), std::move(options));
}

namespace {

// llama.cpp: meta.n_ctx; vLLM: max_model_len.
Tokens window_of(const nlohmann::json& model) {
  const auto& meta = object_in(model, "meta");
  const auto told = meta.contains("n_ctx") ? meta["n_ctx"] : model.value("max_model_len", nlohmann::json());
  return whole_number(told, 0);
}

}  // namespace

std::vector<ServedModel> served_models(const ProviderKind& kind, const ProviderConfig& config,
                                       std::chrono::milliseconds patience) {
  const std::string base = config.base_url.empty() ? std::string(kind.base_url) : config.base_url;
  std::vector<std::pair<std::string, std::string>> headers;
  if (!config.key.empty()) headers.emplace_back("authorization", "Bearer " + config.key);
  const HttpAnswer answer = http_get(endpoint_url(base, "/v1", "/models"), headers, patience);
  std::vector<ServedModel> served;
  const auto list = nlohmann::json::parse(answer.body, nullptr, false);
  if (answer.result.error != HttpError::none || !list.is_object() || !list.contains("data") ||
      !list["data"].is_array())
    return served;
  for (const auto& model : list["data"])
    if (model.is_object() && model.contains("id") && model["id"].is_string())
      served.push_back({model["id"], window_of(model)});
  return served;
}

}  // namespace tern
