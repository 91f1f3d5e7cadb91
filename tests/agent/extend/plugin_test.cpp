// Where a plugin's description says that its parts are.
#include "agent/extend/plugin.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/support/temp_dir.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

struct PluginWorld {
  test::TempDir dir;
  fs::path plugin = fs::canonical(dir.path()) / "tools";

  PluginWorld() { fs::create_directories(plugin / ".claude-plugin"); }
  void put(const std::string& file, const std::string& text) const {
    fs::create_directories((plugin / file).parent_path());
    std::ofstream(plugin / file) << text;
  }
};

}  // namespace

TEST_CASE("a plugin without a description has the usual places") {
  const PluginWorld world;
  CHECK(plugin_name(world.plugin) == "tools");
  CHECK(plugin_folders(world.plugin, "commands") == std::vector<fs::path>{world.plugin / "commands"});
  CHECK(plugin_texts(world.plugin, "hooks", "hooks/hooks.json").empty());
  world.put("hooks/hooks.json", "{}");
  REQUIRE(plugin_texts(world.plugin, "hooks", "hooks/hooks.json").size() == 1);
}

TEST_CASE("a plugin's description adds places inside of it, once each") {
  const PluginWorld world;
  world.put(
      ".claude-plugin/plugin.json",
      R"({"name":"deploy","commands":["./commands/","./more"],"agents":"../elsewhere","hooks":"./own.json",
                "mcpServers":{"db":{"command":"db"}}})");
  world.put("own.json", R"({"hooks":{}})");
  CHECK(plugin_name(world.plugin) == "deploy");
  CHECK(plugin_folders(world.plugin, "commands") ==
        std::vector<fs::path>{world.plugin / "commands", world.plugin / "more"});
  CHECK(plugin_folders(world.plugin, "agents") == std::vector<fs::path>{world.plugin / "agents"});
  const auto hooks = plugin_texts(world.plugin, "hooks", "hooks/hooks.json");
  REQUIRE(hooks.size() == 1);
  CHECK(hooks[0].source == "own.json");
  const auto servers = plugin_texts(world.plugin, "mcpServers", ".mcp.json");
  REQUIRE(servers.size() == 1);
  CHECK(servers[0].text == R"({"mcpServers":{"db":{"command":"db"}}})");
}
