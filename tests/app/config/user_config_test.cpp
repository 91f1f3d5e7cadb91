#include "app/config/user_config.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>

#include "tests/support/temp_dir.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

struct UserFile {
  test::TempDir dir;
  fs::path file = dir.path() / "config/tern/config.json";

  void write(const std::string& text) const {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string text() const {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  KeptSetting keep(const char* key, const char* value) const {
    Config now = config();
    return keep_setting(file, now, key, value);
  }
  Config config() const {
    return load_config({.user_file = file, .env = [](const std::string&) { return std::string(); }});
  }
};

}  // namespace

TEST_CASE("a setting is kept in a file that is made, readable by its owner only") {
  const UserFile user;
  Config now = user.config();
  const auto kept = keep_setting(user.file, now, "theme", "dark");
  CHECK(now.theme == "dark");
  CHECK(kept.ok);
  CHECK(kept.text == "theme: \"auto\" → \"dark\"");
  CHECK(user.config().theme == "dark");
  CHECK((fs::status(user.file).permissions() & fs::perms::all) ==
        (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a setting changes its own place and leaves comments alone") {
  const UserFile user;
  user.write("{\n  // mine\n  \"theme\": \"light\", // bright room\n  \"compression.microAt\": 0.5\n}\n");
  CHECK(user.keep("theme", "dark").ok);
  CHECK(user.keep("microAt", "0.4").ok);
  CHECK(user.keep("compression.compactAt", "0.7").ok);
  CHECK(user.text() ==
        "{\n  // mine\n  \"theme\": \"dark\", // bright room\n  \"compression.microAt\": 0.4,\n"
        "  \"compression\": {\"compactAt\": 0.7}\n}\n");
  CHECK(user.config().problems.empty());
  CHECK(user.config().compression.micro_at == 0.4);
}

TEST_CASE("a wrong name or value writes nothing and says what is wanted") {
  const UserFile user;
  CHECK(user.keep("them", "dark").text == "No setting is called \"them\"; did you mean theme?");
  CHECK(user.keep("vim", "perhaps").text.find("true or false") != std::string::npos);
  CHECK_FALSE(fs::exists(user.file));
  user.write("{ not json");
  const auto kept = user.keep("vim", "true");
  CHECK_FALSE(kept.ok);
  CHECK(kept.text.find("Nothing was written") != std::string::npos);
  CHECK(user.text() == "{ not json");
}

TEST_CASE("a linked config file stays a link") {
  const UserFile user;
  fs::create_directories(user.file.parent_path());
  std::ofstream(user.dir.path() / "dotfile.json") << "{}";
  fs::create_symlink(user.dir.path() / "dotfile.json", user.file);
  CHECK(user.keep("vim", "true").ok);
  CHECK(fs::is_symlink(user.file));
  CHECK(user.config().vim);
}

TEST_CASE("a key goes in and out below its provider") {
  const UserFile user;
  user.write("{\"providers\": {\"openai\": {\"baseUrl\": \"https://h\"}}}");
  CHECK(write_setting(user.file, "providers.openai.key", "\"sk-1\"").empty());
  CHECK(write_setting(user.file, "providers.anthropic.key", "\"sk-2\"").empty());
  CHECK(user.config().providers.at("openai").key == "sk-1");
  CHECK(user.config().providers.at("openai").base_url == "https://h");
  CHECK(user.config().providers.at("anthropic").key == "sk-2");
  CHECK(write_setting(user.file, "providers.anthropic.key", "null").empty());
  CHECK(user.config().providers.at("anthropic").key.empty());
}

TEST_CASE("what a variable sets outranks the file, and that is said") {
  const UserFile user;
  Config now = user.config();
  now.theme = "light", now.origins["theme"] = "$TERN_THEME";
  CHECK(keep_setting(user.file, now, "theme", "dark").text ==
        "theme: \"light\" → \"dark\"\n$TERN_THEME takes precedence over it.");
}
