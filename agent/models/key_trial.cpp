#include "agent/models/key_trial.h"

#include <algorithm>

namespace tern {
namespace {

struct KeyForm {
  std::string_view prefix, provider;
};
// The longest prefixes first. Bare "sk-" keys belong to OpenAI or DeepSeek.
constexpr KeyForm forms[] = {{"sk-ant-", "anthropic"},  {"sk-or-", "openrouter"}, {"sk-proj-", "openai"},
                             {"sk-svcacct-", "openai"}, {"sk-admin-", "openai"},  {"AIza", "gemini"},
                             {"AQ.", "gemini"}};

bool hex32(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

std::vector<std::string_view> providers_of_key(std::string_view key) {
  for (const KeyForm& form : forms)
    if (key.starts_with(form.prefix)) return {form.provider};
  if (!key.starts_with("sk-")) return {};
  if (hex32(key.substr(3))) return {"deepseek", "openai"};
  return {"openai", "deepseek"};
}

std::vector<std::string> keyed_providers() {
  std::vector<std::string> names;
  std::vector<std::string_view> seen;
  for (const ProviderKind* kind : all_providers()) {
    if (!kind->needs_key || std::find(seen.begin(), seen.end(), kind->key_variables) != seen.end()) continue;
    seen.push_back(kind->key_variables);
    names.emplace_back(kind->name);
  }
  return names;
}

std::string_view first_model(const ProviderKind& kind) {
  return kind.default_model.empty() && kind.name == "openrouter" ? "openrouter/auto" : kind.default_model;
}

KeyTrial try_key(const ProviderKind& kind, ProviderConfig config, std::string_view model,
                 std::stop_token stop) {
  const auto provider = make_provider(kind.name, std::move(config));
  if (!provider) return {.why = "there is no provider " + std::string(kind.name)};
  Request request;
  request.model = model;
  request.max_output = 64;
  request.has_fallback = true;  // somebody waits for the answer
  Item question;
  question.id = {1};
  question.blocks.push_back(Text{"Answer with the word ok."});
  request.conversation.items.push_back(std::make_shared<const Item>(std::move(question)));
  KeyTrial trial;
  provider->stream(
      request,
      [&](StreamEvent event) {
        if (std::holds_alternative<Finished>(event)) trial.works = true;
        if (auto* failed = std::get_if<Failed>(&event)) {
          trial.refused = failed->kind == Failure::auth;
          trial.why = std::move(failed->message);
        }
      },
      stop);
  return trial;
}

}  // namespace tern
