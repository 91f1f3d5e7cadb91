#include "app/config/options.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/config/option_table.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"

using namespace tern;
using Run = Options::Run;

namespace {

// What the program says to these words, both its streams, with "= STATUS" behind; away from the home and the
// keys of whoever runs the tests.
std::string said_to(const std::string& words, const std::string& environment = {}) {
  const test::TempDir home;
  const std::string command = "cd '" + home.path().string() + "' && env -i HOME=\"$PWD\" " + environment +
                              " '" + places::program() + "' " + words + " </dev/null 2>&1; echo \"= $?\"";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string all;
  for (int c; (c = std::fgetc(pipe)) != EOF;) all += static_cast<char>(c);
  ::pclose(pipe);
  return all;
}

}  // namespace

TEST_CASE("options: a prompt, a print, a subcommand") {
  CHECK(parse_options({}).run == Run::chat);
  CHECK(parse_options({"fix", "it"}).prompt == "fix it");
  const Options print = parse_options({"-p", "fix it", "--model", "anthropic/claude-sonnet-4-5",
                                       "--permission-mode", "bypass", "--window", "32000"});
  CHECK(print.run == Run::print);
  CHECK(print.prompt == "fix it");
  CHECK(print.model == "anthropic/claude-sonnet-4-5");
  CHECK(print.window == 32000);
  CHECK(print.bypass);
  CHECK(print.error.empty());
  const Options config = parse_options({"config", "--origins", "model"});
  CHECK(config.subcommand == "config");
  CHECK(config.arguments == std::vector<std::string>{"--origins", "model"});
  CHECK(parse_options({"-p", "context"}).prompt == "context");
  CHECK(parse_options({"--", "sessions", "-p"}).prompt == "sessions -p");
  CHECK(parse_options({"--supervise", "x"}).run == Run::supervise);
}

TEST_CASE("options: values attached, apart and left out") {
  CHECK(parse_options({"--max-turns=3"}).max_turns == 3);
  CHECK(parse_options({"--max-cost", "$0.5"}).max_cost == 0.5);
  CHECK(parse_options({"-r"}).open == Options::Open::resume);
  CHECK(parse_options({"-r", "abc"}).resume == "abc");
  CHECK(parse_options({"-r", "-p", "go"}).resume.empty());
  CHECK(parse_options({"-c", "--fork"}).fork);
  CHECK(parse_options({"--config", "compression.microAt=0.5"}).config.at(0).second == "0.5");
  CHECK(parse_options({"--allowed-tools", "Read,Bash(git log, x) Edit"}).allowed_tools ==
        std::vector<std::string>{"Read", "Bash(git log, x)", "Edit"});
  CHECK(parse_options({"--permission-mode", "acceptEdits"}).error.empty());
}

TEST_CASE("options: what is wrong is named, with the way out") {
  CHECK(parse_options({"--modle", "x"}).error.find("did you mean --model?") != std::string::npos);
  CHECK(parse_options({"--model"}).error == "--model needs NAME");
  CHECK(parse_options({"--max-turns", "many"}).error.find("not a number") != std::string::npos);
  CHECK(parse_options({"--output-format", "xml"}).error.find("(choose text, json or stream-json)") !=
        std::string::npos);
  CHECK(parse_options({"--plain=yes"}).error == "--plain takes no value");
  CHECK(parse_options({"--fork"}).error.find("--resume") != std::string::npos);
}

TEST_CASE("options: help, completions and the manual name every flag") {
  for (const Flag& flag : all_flags()) {
    INFO(flag.name);
    CHECK(usage_text().find(flag.name) != std::string::npos);
    CHECK(completion_script("bash").find(flag.name) != std::string::npos);
    CHECK(completion_script("zsh").find(flag.name) != std::string::npos);
    CHECK(completion_script("fish").find(" -l " + std::string(flag.name.substr(2)) + " ") !=
          std::string::npos);
  }
  CHECK(man_page().find("\\-\\-json\\-schema") != std::string::npos);
  CHECK(completion_script("csh").empty());
}

TEST_CASE("options: the version is printed wherever it is asked for, in each of its forms") {
  const auto version = said_to("--version");
  CHECK(version.starts_with("tern "));
  CHECK(version.ends_with("\n= 0\n"));
  for (const char* words : {"-V", "--plain --version", "-p hi -V"}) {
    INFO(words);
    CHECK(said_to(words) == version);
  }
}

TEST_CASE(
    "options: a folder that is not there and a file that cannot be written are refused before anything "
    "runs") {
  CHECK(said_to("--demo -p --add-dir nowhere") == "tern: --add-dir: there is no folder nowhere\n= 2\n");
  CHECK(said_to("--demo -p --trace nowhere/t") ==
        "tern: cannot trace to nowhere/t: No such file or directory\n= 2\n");
}

TEST_CASE("options: the doctor speaks JSON when asked to") {
  const auto said = said_to("doctor --json --demo");
  const auto list = nlohmann::json::parse(said.substr(0, said.rfind("= ")));
  std::string checks;
  for (const auto& one : list) checks += one.at("check").get<std::string>() + " ";
  CHECK(checks == "terminal config store sandbox provider ");
  CHECK(list.back().at("state") == "note");
}

TEST_CASE("options: a service without a model of its own is not asked for a nameless one") {
  CHECK(said_to("-p hi", "OPENROUTER_API_KEY=k OPENROUTER_BASE_URL=http://127.0.0.1:1") ==
        "tern: OpenRouter serves many models: name one with --model openrouter/NAME, or set "
        "OPENROUTER_MODEL.\n= 2\n");
}

TEST_CASE("options: each command has a help of its own, asked for either way") {
  for (const auto& row : all_subcommands()) {
    INFO(row.name);
    const auto help = subcommand_help(row.name);
    CHECK(help.starts_with("tern " + std::string(row.name)));
    CHECK(help.size() > 50);
    const auto asked = parse_options({std::string(row.name), "--help"});
    CHECK(asked.run == Options::Run::help);
    CHECK(asked.subcommand == row.name);
  }
  CHECK(said_to("help config") == said_to("config --help"));
  CHECK(said_to("help config").find("tern config theme dark") != std::string::npos);
  CHECK(said_to("help nosuch").find("there is no command \"nosuch\"") != std::string::npos);
  CHECK(subcommand_help("nosuch").empty());
  CHECK(parse_options({"sandbox", "ls", "--help"}).arguments == std::vector<std::string>{"ls", "--help"});
}

TEST_CASE("options: a misspelled command is no prompt") {
  for (const char* word : {"sesions", "sessoins", "confg", "docter", "summary", "contxt"}) {
    INFO(word);
    CHECK(parse_options({word}).error.find("did you mean \"tern ") != std::string::npos);
  }
  for (const char* word : {"hello", "test", "hi", "fix", "continue", "build", "helpful", "managers"}) {
    INFO(word);
    CHECK(parse_options({word}).error.empty());
  }
  CHECK(parse_options({"--", "sesions"}).error.empty());
  CHECK(parse_options({"-p", "sesions"}).error.empty());
  CHECK(parse_options({"sesions", "are", "lost"}).error.empty());
}

TEST_CASE("options: the help groups every option and shows how to begin") {
  const auto text = usage_text();
  for (const char* part :
       {"Examples\n", "\nSessions\n", "\nModel\n", "\nPermissions\n", "\nMore\n", "git diff | tern -p"})
    CHECK(text.find(part) != std::string::npos);
  for (const Flag& flag : all_flags()) {
    INFO(flag.name);
    CHECK(text.find(std::string(flag.name)) != std::string::npos);
  }
}
