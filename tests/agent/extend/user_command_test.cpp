// Commands that people keep as files: what is found, what is left out, and the prompt each becomes.
#include "agent/extend/user_command.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/support/temp_dir.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

struct BroughtWorld {
  test::TempDir dir;
  fs::path project = dir.path() / "project", home = dir.path() / "home", config = home / ".config/tern";
  std::vector<std::string> ran;

  BroughtWorld() { fs::create_directories(project); }
  void put(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  UserCommands load(bool trusted = true) const {
    return load_commands({.projects = trusted ? std::vector{project} : std::vector<fs::path>(),
                          .home = home,
                          .config = config});
  }
  std::string expanded(std::string_view text, std::string_view arguments = {},
                       std::string_view file = "a.md") {
    put(project / ".claude/commands" / file, text);
    const auto loaded = load();
    REQUIRE(loaded.commands.size() == 1);
    const CommandWorld world{.run =
                                 [this](const std::string& line) {
                                   ran.push_back(line);
                                   return "out of " + line + "\n";
                                 },
                             .read = [](const std::string& path) -> std::optional<std::string> {
                               if (path != "src/a.cpp") return std::nullopt;
                               return "int a;";
                             }};
    return expand(loaded.commands.front(), arguments, world);
  }
};

}  // namespace

TEST_CASE("a command file has a name by its place, its help, and where it is from") {
  BroughtWorld world;
  world.put(world.project / ".claude/commands/git/commit.md",
            "---\ndescription: Commit: with a good message\nargument-hint: [issue]\nallowed-tools: Bash(git "
            "add:*), Read\n"
            "model: haiku\n---\n\nCommit now.\n");
  world.put(world.config / "commands/plain.md", "# Look at the tests\n\nAll of them.");
  const auto loaded = world.load();
  REQUIRE(loaded.commands.size() == 2);
  const auto* commit = loaded.find("git:commit");
  REQUIRE(commit);
  CHECK(commit->help == "Commit: with a good message");
  CHECK(commit->usage == "[issue]");
  CHECK(commit->allowed_tools == std::vector<std::string>{"Bash(git add:*)", "Read"});
  CHECK(commit->model == "haiku");
  CHECK(commit->source == ".claude/commands/git/commit.md");
  CHECK(commit->of_project);
  CHECK(commit->body == "Commit now.\n");
  const auto* plain = loaded.find("plain");
  REQUIRE(plain);
  CHECK(plain->help == "Look at the tests");
  CHECK(plain->source == "~/.config/tern/commands/plain.md");
}

TEST_CASE("the project's command goes before the user's of the same name, and that is said") {
  BroughtWorld world;
  world.put(world.project / ".agents/commands/review.md", "The project's.");
  world.put(world.home / ".claude/commands/review.md", "The user's.");
  const auto loaded = world.load();
  REQUIRE(loaded.commands.size() == 1);
  CHECK(loaded.commands.front().body == "The project's.");
  REQUIRE(loaded.problems.size() == 1);
  CHECK(loaded.problems.front().find(
            "~/.claude/commands/review.md is left out: /review is already .agents/") == 0);
}

TEST_CASE("Gemini's folders are read, behind the others") {
  BroughtWorld world;
  world.put(world.project / ".gemini/commands/git/fix.toml",
            "description = \"Fix it\"\nprompt = \"Fix {{args}}\"\n");
  world.put(world.home / ".gemini/commands/ask.toml", "prompt = \"of gemini\"\n");
  world.put(world.home / ".claude/commands/ask.md", "of claude");
  const auto loaded = world.load();
  const auto* fix = loaded.find("git:fix");
  REQUIRE(fix);
  CHECK(fix->help == "Fix it");
  REQUIRE(loaded.find("ask"));
  CHECK(loaded.find("ask")->body == "of claude");
  CHECK(world.load(false).find("git:fix") == nullptr);
}

TEST_CASE("nothing of a project is a command before it is trusted, and no link leads out of it after") {
  BroughtWorld world;
  world.put(world.project / ".claude/commands/evil.md", "Evil.");
  CHECK(world.load(false).commands.empty());
  world.put(world.home / "secret.md", "A key.");
  fs::create_symlink(world.home / "secret.md", world.project / ".claude/commands/key.md");
  const auto loaded = world.load();
  REQUIRE(loaded.commands.size() == 1);
  CHECK(loaded.commands.front().name == "evil");
  CHECK(loaded.problems.size() == 1);
}

TEST_CASE("arguments are put in where the text asks for them") {
  BroughtWorld world;
  CHECK(world.expanded("Fix $ARGUMENTS, all of it.", "the parser ") == "Fix the parser, all of it.");
  CHECK(world.expanded("From $1 to $2: $10 ${3:-main}", "\"a b\" c") == "From a b to c: a b0 main");
  CHECK(world.expanded("---\narguments: issue who\n---\nTell $who of $issue and $other.", "12 bob") ==
        "Tell bob of 12 and $other.");
  CHECK(world.expanded("No place for them.", "x y") == "No place for them.\n\nArguments: x y");
}

TEST_CASE("commands in a command run in their place, but none that an argument brings") {
  BroughtWorld world;
  CHECK(world.expanded("State: !`git status -s`\nDo $1.", "'!`rm -rf x`'") ==
        "State: out of git status -s\nDo !`rm -rf x`.");
  CHECK(world.ran == std::vector<std::string>{"git status -s"});
  CHECK(world.expanded("Write `!important` and\n```\n!`ls`\n```") ==
        "Write `!important` and\n```\n!`ls`\n```");
  CHECK(world.ran.size() == 1);
}

TEST_CASE("a file that is named comes with the prompt; other names stay as they are") {
  BroughtWorld world;
  CHECK(world.expanded("Look at @src/a.cpp. Ask @bob or a@src/a.cpp or `@src/a.cpp`.") ==
        "Look at @src/a.cpp. Ask @bob or a@src/a.cpp or `@src/a.cpp`.\n\n<file path=\"src/a.cpp\">\nint "
        "a;\n</file>");
  CHECK(world.expanded("See @$1", "src/a.cpp") ==
        "See @src/a.cpp\n\n<file path=\"src/a.cpp\">\nint a;\n</file>");
}

TEST_CASE("Gemini's form: its arguments are one word in a shell line") {
  BroughtWorld world;
  const auto text =
      "description = \"Find \\\"it\\\"\"\nprompt = \"\"\"\nFind {{args}}.\n!{grep -r {{args}} | awk "
      "'{print}'}\n@{src/a.cpp}\n\"\"\"\n";
  CHECK(world.expanded(text, "it's", "b.toml") ==
        "Find it's.\nout of grep -r 'it'\\''s' | awk '{print}'\nint a;");
  CHECK(world.load().commands.front().help == "Find \"it\"");
}

TEST_CASE("a head without an end is no head, and lists have three forms") {
  CHECK(frontmatter("---\nname: x\n").body == "---\nname: x\n");
  CHECK(list_words("[x, 'y']") == std::vector<std::string>{"x", "y"});
  CHECK(frontmatter("---\na: [x, 'y']\nb:\n  - Bash(git:*)\n  - Read\nc: >\n  one\n  two\n---\nBody")
            .get("b") == "Bash(git:*), Read");
  CHECK(frontmatter("---\nc: >\n  one\n  two\n---\nBody").get("c") == "one two");
}
