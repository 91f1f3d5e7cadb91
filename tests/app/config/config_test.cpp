#include "app/config/config.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>
#include <map>

#include "agent/store/project_dir.h"
#include "app/config/config_keys.h"
#include "app/config/options.h"
#include "tests/support/temp_dir.h"
#include "tools/builtin/builtin_tools.h"
#include "ui/terminal/theme.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

struct World {
  test::TempDir dir;
  const fs::path& path = dir.path();
  std::map<std::string, std::string> env;
  World() { fs::create_directory(project()); }
  fs::path user() const { return path / "user.json"; }
  fs::path project() const { return path / ".compression"; }
  void write(const fs::path& file, const std::string& text) const { std::ofstream(file) << text; }
  Config load(std::vector<ConfigFlag> flags = {}) const {
    return load_config(
        {.user_file = user(),
         .env = [this](const std::string& name) { return env.count(name) ? env.at(name) : ""; },
         .flags = std::move(flags),
         .variables = {}});
  }
};

bool names(const std::vector<std::string>& problems, const std::string& what) {
  for (const std::string& one : problems) {
    if (one.find(what) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("config: the later source wins and says so") {
  World world;
  world.write(world.user(), R"j({
    // mine
    "model": "openai/gpt-5", "compression": {"microAt": 0.5, "keepRecent": 12,}, /* more */ "compression.draftAt": 0.65,
    "trusted": ["/src"], "permissions": {"allow": ["Bash(git status)"]},
  })j");
  world.write(world.project() / "config.json", R"({"microAt": 0.55, "keepRecent": 15})");
  world.env["TERN_COMPRESSION_MICRO_AT"] = "0.45";
  world.env["TERN_THEME"] = "dark";
  Config config =
      world.load(config_flags(parse_options({"--model", "demo/demo", "--config", "pinBudget=9000"})));
  CHECK(read_project_config(world.project(), config).empty());
  CHECK(config.problems.empty());
  CHECK(config.model == "demo/demo");
  CHECK(config.origins["model"] == "--model");
  CHECK(config.compression.micro_at == 0.45);
  CHECK(config.origins["compression.microAt"] == "$TERN_COMPRESSION_MICRO_AT");
  CHECK(config.compression.keep_recent == 15);
  CHECK(config.origins["compression.keepRecent"] == ".compression/config.json");
  CHECK(config.compression.draft_at == 0.65);
  CHECK(config.compression.pin_budget == 9000);
  CHECK(config.theme == "dark");
  CHECK(config.trusted == std::vector<fs::path>{"/src"});
  CHECK(config_text(config, true).find("--model") != std::string::npos);
}

TEST_CASE("config: the theme that nobody chose is one the screen knows") {
  std::vector<std::string_view> names;
  for (const ThemeRow& row : theme_rows()) names.push_back(row.name);
  CHECK(std::find(names.begin(), names.end(), Config().theme) != names.end());
}

TEST_CASE("config: a project can set compression and nothing else") {
  World world;
  world.write(
      world.project() / "config.json",
      R"({"providers": {"anthropic": {"baseUrl": "http://evil"}}, "permissions": {"mode": "bypass"}, "model": "x/y",
                  "env": ["AWS_SECRET"], "trusted": ["/"], "compression": {"maxTurns": 40}, "autoCompress": false})");
  Config config = world.load();
  const auto problems = read_project_config(world.project(), config);
  CHECK(problems.size() == 5);
  CHECK(names(problems, "\"providers\" can't be set by a project"));
  CHECK(config.providers.empty());
  CHECK(config.mode == PermissionMode::ask);
  CHECK(config.model.empty());
  CHECK(config.compression.max_turns == 40);
  CHECK_FALSE(config.compression.auto_compress);
}

TEST_CASE("config: a project's file is not read through a link") {
  World world;
  world.write(world.path / "elsewhere", R"({"maxTurns": 7})");
  fs::create_symlink(world.path / "elsewhere", world.project() / "config.json");
  Config config = world.load();
  read_project_config(world.project(), config);
  CHECK(config.compression.max_turns == 50);
}

TEST_CASE("config: what is wrong is named and leaves the rest alone") {
  World world;
  world.write(
      world.user(),
      R"({"modle": "x", "compression": {"microAt": 7, "keepRecent": 11, "strategie": "local"}, "vim": "yes"})");
  const Config config = world.load({{"nonsense", "1", "--config"}});
  CHECK(names(config.problems, "did you mean \"model\"?"));
  CHECK(names(config.problems, "did you mean \"compression.strategy\"?"));
  CHECK(names(config.problems, "it must be a number from 0 to 1"));
  CHECK(names(config.problems, "vim: \"yes\" is not accepted; it must be true or false"));
  CHECK(config.compression.keep_recent == 11);
  CHECK(config.compression.micro_at == 0.6);
  world.write(world.user(), "{\n\"model\": }");
  CHECK(names(world.load().problems, "line 2 is not JSON"));
  world.write(world.user(), R"({"model":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}");
  CHECK(names(world.load().problems, "nested too deeply"));
  world.write(world.user(), R"({"compression": {"microAt": 0.9, "compactAt": 0.5}})");
  CHECK(names(world.load().problems, "must hold"));
  CHECK(world.load().compression.compact_at == 0.8);
}

TEST_CASE("config: a variable that looks like a setting and is none is named") {
  World world;
  const Config config = load_config(
      {.user_file = world.user(),
       .env = [](const std::string&) { return ""; },
       .flags = {},
       .variables = {"TERN_COMPRESSION_MICROAT", "TERN_COMPRESSION_MICRO_AT", "TERN_OTHER", "PATH"}});
  REQUIRE(config.problems.size() == 1);
  CHECK(config.problems[0] ==
        "$TERN_COMPRESSION_MICROAT is not a setting; did you mean $TERN_COMPRESSION_MICRO_AT?");
}

TEST_CASE("config: what is unknown inside an object is named with the nearest known, and the rest holds") {
  World world;
  world.write(world.user(), R"j({
    "providers": {"anthropic": {"baseUrl": "http://127.0.0.1:9", "kye": "sk-secret-1", "headers": {"x-a": 7, "x-b": "b"}},
                  "antropic": {"key": "sk-secret-2"}, "openai": {"key": 12345678}, "gemini": "sk-secret-3"},
    "models": {"openai/mine": {"windw": 9000, "maxOutput": 1000}, "openai/other": 5},
    "permissions": {"alow": ["Read"]}, "compression": "no"
  })j");
  const Config config = world.load();
  CHECK(names(config.problems,
              "unknown key \"providers.anthropic.kye\"; did you mean \"providers.anthropic.key\"?"));
  CHECK(names(config.problems, "providers.anthropic.headers.x-a must be a text"));
  CHECK(names(config.problems, "unknown key \"providers.antropic\"; did you mean \"providers.anthropic\"?"));
  CHECK(names(config.problems, "providers.openai.key must be a text"));
  CHECK(names(config.problems, "providers.gemini must be an object"));
  CHECK(names(config.problems,
              "unknown key \"models.openai/mine.windw\"; did you mean \"models.openai/mine.window\"?"));
  CHECK(names(config.problems, "models.openai/other must be an object"));
  CHECK(names(config.problems, "did you mean \"permissions.allow\"?"));
  CHECK(names(config.problems, "compression must be an object"));
  CHECK_FALSE(names(config.problems, "sk-secret"));
  CHECK_FALSE(names(config.problems, "12345678"));
  CHECK(config.problems.size() == 9);
  CHECK(config.providers.at("anthropic").base_url == "http://127.0.0.1:9");
  CHECK(config.providers.at("anthropic").headers.size() == 1);
  CHECK(config.models.at("openai/mine") == R"({"maxOutput":1000})");
}

TEST_CASE("config: a key is never shown") {
  World world;
  world.write(
      world.user(),
      R"({"providers": {"anthropic": {"key": "sk-secret-1", "headers": {"x-auth": "sk-secret-2"}}, "openai": {"kye": "sk-secret-3"}}})");
  const Config config = world.load();
  CHECK(config_json(config, "microAt").find("compression.microAt") != std::string::npos);
  CHECK(config_json(config, "microAt").find("compression.compactAt") == std::string::npos);
  for (const std::string& text :
       {config_text(config, true), config_text(config, false), config_json(config)}) {
    CHECK(text.find("sk-secret") == std::string::npos);
  }
  CHECK(config.providers.at("anthropic").key == "sk-secret-1");
}

TEST_CASE("config: servers and hooks that nobody set are shown as none") {
  for (const ConfigKey& key : config_table())
    if (key.name == "mcpServers" || key.name == "hooks" || key.name == "languageServers") {
      INFO(key.name);
      CHECK(key.get(Config()) == nlohmann::json::object());
    }
}

TEST_CASE("config: every key takes back what it shows") {
  Config config;
  for (const ConfigKey& key : config_table()) {
    INFO(key.name);
    CHECK(set_value(config, key.name, key.get(config), "test").empty());
    CHECK_FALSE(key.help.empty());
    CHECK_FALSE(set_value(config, key.name, nlohmann::json::array({1}), "test").empty());
  }
}

TEST_CASE("config: a change is written to the project's file and holds at once") {
  World world;
  world.write(world.project() / "config.json", R"({"compression": {"keepRecent": 9}, "microAt": 0.5})");
  CompressionConfig now;
  bool changed = false;
  CHECK(change_project_config(world.project(), R"({"keepRecent": 15, "maxToolOutput": 5000})", now, changed)
            .find("keepRecent: 10 → 15") != std::string::npos);
  CHECK(changed);
  CHECK(now.keep_recent == 15);
  CHECK(now.snip_halves);
  Config config = world.load();
  CHECK(read_project_config(world.project(), config).empty());
  CHECK(config.compression.keep_recent == 15);
  CHECK(config.compression.max_tool_output == 5000);
  CHECK(config.compression.micro_at == 0.5);
  CHECK_FALSE(config.compression.trigger_alone);
  CHECK(change_project_config(world.project(), R"({"triggerTokens": 50000})", now, changed).find("50000") !=
        std::string::npos);
  CHECK(now.trigger_alone);
  const std::string all = change_project_config(world.project(), "{}", now, changed);
  CHECK_FALSE(changed);
  for (const char* row : {"keepRecent: 15\n", "maxToolOutput: 5000\n", "maxTurns: 50\n",
                          "autoCompress: true\n", "summaryMaxChars: 500\n"})
    CHECK(all.find(row) != std::string::npos);
  for (const char* wrong : {R"({"keepRecent": -1})", R"({"model": "x"})", R"({"keepRecnt": 3})", "[]", "{"}) {
    CHECK_FALSE(change_project_config(world.project(), wrong, now, changed).empty());
    CHECK_FALSE(changed);
  }
  CHECK(now.keep_recent == 15);
}

TEST_CASE("config: a change that is refused says so in a person's words, and nothing else happens") {
  World world;
  CompressionConfig now;
  bool changed = false;
  CHECK(change_project_config(world.project(), R"({"microAt": 0.9})", now, changed) ==
        "not changed: microLowWater < microAt < compactAt < truncateAt must hold");
  CHECK(change_project_config(world.project(), R"({"keepRecnt": 3})", now, changed)
            .find("not changed: unknown key") == 0);
  CHECK_FALSE(changed);
  CHECK(now.micro_at == CompressionConfig().micro_at);
}

TEST_CASE("config: rules are parsed, wrong ones named") {
  Config config;
  config.allow = {"Bash(git status)", "Ba sh("};
  config.deny = {"Read(.env)"};
  std::vector<std::string> problems;
  const auto rules = permission_rules(config, builtin_tools(), problems);
  CHECK(rules.size() == 2);
  CHECK(rules.at(0).kind == PermissionRule::Kind::deny);
  CHECK(problems.size() == 1);
}

TEST_CASE(
    "config: the project's file shows every value in force beside what is set, and what it shows is never "
    "read") {
  World world;
  world.write(world.user(), R"({"compression": {"keepRecent": 12}})");
  Config config = world.load();
  CHECK(show_in_project_config(world.project(), config).empty());
  const auto shown = [&] {
    return nlohmann::json::parse(std::ifstream(world.project() / "config.json"));
  };  // strict
  CHECK(shown()["effective"]["keepRecent"] == 12);
  CHECK(shown()["effective"]["microAt"] == 0.6);
  CHECK(shown()["from"] == nlohmann::json{{"keepRecent", world.user().string()}});
  for (const ConfigKey& key : config_table())
    if (key.name.starts_with("compression.")) CHECK(shown()["effective"].contains(key.name.substr(12)));
  CHECK_FALSE(sets_something(world.project() / "config.json"));

  world.write(world.user(), R"({"compression": {"keepRecent": 20}})");  // nothing was frozen
  config = world.load();
  CHECK(read_project_config(world.project(), config).empty());
  CHECK(config.compression.keep_recent == 20);

  CompressionConfig now = config.compression;
  bool changed = false;
  CHECK_FALSE(change_project_config(world.project(), R"({"microAt": 0.5})", now, changed).empty());
  CHECK(read_project_config(world.project(), config).empty());
  CHECK(config.compression.micro_at == 0.5);
  CHECK(show_in_project_config(world.project(), config).empty());
  CHECK(shown()["microAt"] == 0.5);
  CHECK(shown()["effective"]["microAt"] == 0.5);
  CHECK(shown()["from"]["microAt"] == ".compression/config.json");
  CHECK_FALSE(shown().contains("keepRecent"));
  CHECK(sets_something(world.project() / "config.json"));
}

TEST_CASE("config: a project's file with comments is left as a person wrote it") {
  World world;
  const std::string mine = "{\n  // deep cuts here\n  \"microAt\": 0.5\n}\n";
  world.write(world.project() / "config.json", mine);
  CHECK(show_in_project_config(world.project(), world.load()).empty());
  std::ifstream in(world.project() / "config.json");
  CHECK(std::string(std::istreambuf_iterator<char>(in), {}) == mine);
}

TEST_CASE("config: without a project's folder a change holds, and no file is written") {
  World world;
  const fs::path before = fs::current_path();
  fs::current_path(world.path);
  CompressionConfig now;
  bool changed = false;
  CHECK(change_project_config({}, R"({"keepRecent": 15})", now, changed) == "keepRecent: 10 → 15\n");
  fs::current_path(before);
  CHECK(now.keep_recent == 15);
  CHECK_FALSE(fs::exists(world.path / "config.json"));
}
