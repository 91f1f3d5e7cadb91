// Keys given and forgotten while a session runs, and choices of the screen that are kept.
#include "app/session/key_login.h"
#include "app/session/session_answers.h"
#include "app/session/session_commands.h"

namespace tern {

void SessionQueries::tell(const AskLogin&) {
  LoginAsked asked;
  for (const auto& name : locally_served(s.setup_)) asked.served.push_back(name.provider + "/" + name.model);
  s.emit(std::move(asked));
}

void SessionCommands::login(const Login& login, std::stop_token stop) {
  s.emit(Notice{Level::info, "Trying the key with one request."});
  const auto result = log_in(s.setup_, login, stop);
  s.emit(Notice{result.kind ? Level::info : Level::warning, result.text});
  if (!result.kind) return;
  s.setup_.adjust_provider = [before = s.setup_.adjust_provider, name = std::string(result.kind->name),
                              key = result.key,
                              file = s.setup_.user_file](const ProviderKind& kind, ProviderConfig& wire) {
    if (before) before(kind, wire);
    if (kind.name != name) return;
    wire.key = key;
    wire.key_from = file;
    wire.bearer = false;
  };
  switch_model(result.model, stop);
}

void SessionCommands::logout(const Logout& logout) {
  const auto* kind = find_provider(logout.provider.empty() ? s.model_name_.provider : logout.provider);
  if (!kind || kind->key_variables.empty())
    return s.emit(Notice{
        Level::warning, "No key is stored for " + (kind ? std::string(kind->title) : logout.provider) + "."});
  s.emit(Notice{Level::info, log_out(s.setup_, *kind)});
  s.setup_.adjust_provider = [before = s.setup_.adjust_provider, name = std::string(kind->name),
                              file = s.setup_.user_file](const ProviderKind& one, ProviderConfig& wire) {
    if (before) before(one, wire);
    if (one.name == name && wire.key_from == file) wire.key.clear();
  };
  if (kind->name == s.model_name_.provider && !s.connect(s.context_.model)) {
    switch_model({"demo", "demo"}, s.stop_.begin());
    s.emit(LoginAsked{});
  }
}

void SessionCommands::remember(const Remember& choice) {
  if (!s.setup_.keep_setting) return;
  const auto kept = s.setup_.keep_setting(choice.key, choice.value);
  if (!kept.ok) s.emit(Notice{Level::warning, kept.text});
}

}  // namespace tern
