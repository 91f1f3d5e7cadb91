#include <termios.h>
#include <unistd.h>

#include <iostream>

#include "app/cli/start.h"
#include "app/cli/subcommands.h"
#include "app/session/console.h"
#include "app/session/key_login.h"

namespace tern {
namespace {

// While it lives, what is typed is not shown.
class Unseen {
 public:
  Unseen() : on_(::tcgetattr(STDIN_FILENO, &before_) == 0) {
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    if (on_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
  }
  ~Unseen() {
    if (on_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;

 private:
  termios before_{};
  bool on_;
};

std::string read_key() {
  std::string key;
  if (!::isatty(STDIN_FILENO)) {
    std::getline(std::cin, key);
    return key;
  }
  print(stderr, "Paste the key (it is not shown), then press Enter: ");
  const Unseen unseen;
  std::getline(std::cin, key);
  print(stderr, "\n");
  return key;
}

SessionSetup setup_of(const Options& options, const Config& config) {
  SessionSetup setup;
  std::vector<std::string> problems;
  set_model(options, config, setup, problems);
  return setup;
}

std::string provider_named(const Options& options) {
  return options.arguments.empty() ? "" : options.arguments[0];
}

int complain(const std::string& text, int status) {
  print(stderr, "tern: " + text + "\n");
  return status;
}

}  // namespace

int run_login(const Options& options, const Config& config) {
  const auto name = provider_named(options);
  if (!name.empty() && !find_provider(name)) return complain("there is no provider \"" + name + "\"", 2);
  const auto result = log_in(setup_of(options, config), {name, read_key()}, {});
  if (!result.kind) return complain(result.text, result.exit_code);
  if (result.kind->default_model.empty() && config.model.empty())  // the next start would not know which
    if (const auto wrong = write_setting(user_config_file(environment()), "model",
                                         "\"" + result.model.provider + "/" + result.model.model + "\"");
        !wrong.empty())
      return complain(wrong, 1);
  print(stdout, result.text + "\n");
  return 0;
}

int run_logout(const Options& options, const Config& config) {
  auto name = provider_named(options);
  std::string kept;
  for (const auto& [provider, settings] : config.providers)
    if (!settings.key.empty()) kept += (kept.empty() ? "" : " ") + provider;
  if (kept.empty()) return complain("no key is kept", 1);
  if (name.empty() && kept.find(' ') != kept.npos)
    return complain("keys are kept for " + kept + ": name one of them", 2);
  const auto* kind = find_provider(name.empty() ? kept : name);
  if (!kind) return complain("there is no provider \"" + name + "\"", 2);
  print(stdout, log_out(setup_of(options, config), *kind) + "\n");
  return 0;
}

}  // namespace tern
