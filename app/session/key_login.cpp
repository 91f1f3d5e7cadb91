#include "app/session/key_login.h"

#include <nlohmann/json.hpp>

#include "agent/models/key_trial.h"
#include "agent/models/redact.h"

namespace tern {
namespace {

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  return begin == text.npos ? std::string()
                            : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string path_of(const ProviderKind& kind) { return "providers." + std::string(kind.name) + ".key"; }

std::string kept(const SessionSetup& setup, const ProviderKind& kind, const ModelName& model) {
  std::string text = "The key works with " + model.provider + "/" + model.model + ". It is kept in " +
                     setup.user_file + ", readable by you only.";
  if (const auto variable = key_variable(kind, setup.env); !variable.empty())
    text += "\n" + variable + " is set and takes precedence from the next start; unset it.";
  return text;
}

}  // namespace

std::string key_variable(const ProviderKind& kind, const Environment& env) {
  return provider_config(kind, env).key_from;
}

LoginResult log_in(const SessionSetup& setup, const Login& login, std::stop_token stop) {
  const auto key = trimmed(login.key);
  if (key.empty() || key.find_first_of(" \t\r\n") != key.npos)
    return {.text = "That is not a key.", .exit_code = 2};
  register_secret(key);
  std::vector<std::string_view> names = providers_of_key(key);
  // "provider/model": the key is tried with that model, which is used from then on.
  const auto slash = login.provider.find('/');
  const auto provider = std::string_view(login.provider).substr(0, slash);
  const auto wanted = slash == login.provider.npos ? std::string() : login.provider.substr(slash + 1);
  if (!provider.empty()) names = {provider};
  if (names.empty())
    return {
        .text = "tern doesn't recognize this key. Name its provider: login PROVIDER, as in: login openai.",
        .exit_code = 2};
  LoginResult result{.exit_code = 3};
  for (const auto name : names) {
    const auto* kind = find_provider(name);
    const std::string model(!kind ? "" : wanted.empty() ? std::string(first_model(*kind)) : wanted);
    if (model.empty())
      return {.text = "A key can't be stored for \"" + std::string(name) + "\".", .exit_code = 2};
    auto wire = wire_of(setup, *kind);
    wire.key = key;
    wire.key_from = "the text you pasted";
    wire.bearer = false;
    const auto trial = try_key(*kind, std::move(wire), model, stop);
    if (!trial.works) {
      result.text = "The key was not kept. " + std::string(kind->title) + ": " + trial.why;
      if (!trial.refused) return result;
      continue;
    }
    const auto wrong =
        setup.write ? setup.write(path_of(*kind), nlohmann::json(key).dump()) : "This run saves no settings.";
    if (!wrong.empty()) return {.text = "The key works, but was not kept: " + wrong, .exit_code = 1};
    const ModelName found{std::string(kind->name), model};
    return {.kind = kind, .model = found, .key = key, .text = kept(setup, *kind, found)};
  }
  return result;
}

std::string log_out(const SessionSetup& setup, const ProviderKind& kind) {
  const auto wire = wire_of(setup, kind);
  const auto variable = key_variable(kind, setup.env);
  const std::string still = variable.empty() ? "" : " " + variable + " is also set; unset it too.";
  const auto wrong = setup.write ? setup.write(path_of(kind), "null") : "This run saves no settings.";
  if (!wrong.empty()) return wrong;
  return wire.key.empty()
             ? "No key of " + std::string(kind.title) + " is kept."
             : "The key of " + std::string(kind.title) + " is no longer in " + setup.user_file + "." + still;
}

}  // namespace tern
