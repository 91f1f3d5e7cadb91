#include "ui/command.h"
#include "ui/shell.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"doctor", std::string(arguments)}); }

}  // namespace

extern const SlashCommand doctor_command;
constinit const SlashCommand doctor_command{.name = "doctor",
                                            .aliases = "",
                                            .usage = "",
                                            .help = "check terminal, key, provider, store and sandbox",
                                            .run = run,
                                            .while_working = false};

}  // namespace tern
