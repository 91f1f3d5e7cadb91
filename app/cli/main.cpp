#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "agent/models/http.h"
#include "agent/web/page_apart.h"
#include "app/cli/crash.h"
#include "app/cli/start.h"
#include "app/cli/subcommands.h"
#include "app/session/console.h"
#include "tools/exec/supervisor.h"
#include "tools/sandbox/sandbox.h"

namespace {

std::vector<std::string> environment_names() {
  std::vector<std::string> names;
  for (char** one = environ; one && *one; ++one) names.emplace_back(*one, std::strcspn(*one, "="));
  return names;
}

int run(int argc, char** argv) {
  using namespace tern;
  const auto options = parse_options({argv + 1, argv + argc});
  if (!options.error.empty()) {
    print(stderr, "tern: " + options.error + "\n");
    return 2;
  }
  if (options.run == Options::Run::version) return std::puts("tern " TERN_VERSION) < 0;
  if (options.run == Options::Run::help) {
    const auto help = options.subcommand.empty() ? usage_text() : subcommand_help(options.subcommand);
    return std::fputs(help.c_str(), stdout) < 0;
  }
  guard_memory();
  outlive_limits();
  give_back_memory();
  const auto env = environment();
  const bool debug = options.subcommand == "debug";
  const auto unreadable = unreadable_config(user_config_file(env));
  if (!unreadable.empty() && (options.run != Options::Run::subcommand || debug)) {
    print(stderr, "tern: " + unreadable + "\n");
    return 2;
  }
  if (debug &&
      (options.arguments.size() > 1 || (!options.arguments.empty() && options.arguments[0] != "request"))) {
    print(stderr, "tern: there is no \"tern debug " + options.arguments.back() + "\": tern debug request\n");
    return 2;
  }
  const auto config = load_config({user_config_file(env), env, config_flags(options), environment_names()});
  for (const auto& problem : config.problems) print(stderr, "tern: " + problem + "\n");
  if (options.run == Options::Run::subcommand && !debug) return run_subcommand(options, config);
  start_sandbox_probe();  // before there is a second thread
  SessionSetup setup;
  if (const auto wrong = make_setup(options, config, setup); !wrong.empty()) {
    print(stderr, "tern: " + wrong + "\n");
    return 2;
  }
  if (debug) return debug_request(std::move(setup));
  if (options.run == Options::Run::print) return start_headless(options, std::move(setup));
  return start_screen(options, config, std::move(setup));
}

}  // namespace

int main(int argc, char** argv) {
  tern::hold_standard_streams();
  if (argc > 1 && !std::strcmp(argv[1], "--supervise")) return tern::supervise_main(argc, argv);
  if (argc > 1 && !std::strcmp(argv[1], tern::read_page_flag)) return tern::read_page_main(argc, argv);
  if (argc > 1 && !std::strcmp(argv[1], "--version")) {
    std::puts("tern " TERN_VERSION);
    return tern::written(0);
  }
  struct NetworkEnd {
    ~NetworkEnd() { tern::http_stop(); }
  } const network_end;
  try {
    return tern::written(run(argc, argv));
  } catch (const std::exception& error) {
    tern::print(stderr, std::string("tern: ") + error.what() + "\n");
    return 1;
  }
}
