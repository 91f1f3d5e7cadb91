// Agent Skills: what is found, what the model is told of it, and what using one says.
#include "agent/extend/skill.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/support/temp_dir.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

struct SkillWorld {
  test::TempDir dir;
  fs::path project = dir.path() / "project", home = dir.path() / "home";

  void put(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  Skills load(bool trusted = true) const {
    return load_skills({.projects = trusted ? std::vector{project} : std::vector<fs::path>(),
                        .home = home,
                        .config = home / "c"});
  }
};

}  // namespace

TEST_CASE("a skill is found by its SKILL.md, and its head says how it may be used") {
  SkillWorld world;
  world.put(world.project / ".agents/skills/pdf/SKILL.md",
            "---\nname: pdf\ndescription: Reads PDF files: when one is named\nallowed-tools: "
            "Bash(pdftotext:*) Read\n"
            "argument-hint: [file]\ncontext: fork\n---\n# How\nUse pdftotext.\n");
  world.put(world.home / ".claude/skills/quiet/SKILL.md",
            "---\ndescription: Quiet\ndisable-model-invocation: true\n---\nShh.");
  const auto loaded = world.load();
  REQUIRE(loaded.skills.size() == 2);
  const auto& pdf = loaded.skills.front();
  CHECK(pdf.description == "Reads PDF files: when one is named");
  CHECK(pdf.usage == "[file]");
  CHECK(pdf.fork);
  CHECK(pdf.source == ".agents/skills/pdf/SKILL.md");
  CHECK(pdf.allowed_tools == std::vector<std::string>{"Bash(pdftotext:*)", "Read"});
  CHECK_FALSE(loaded.find("quiet")->for_model);
  CHECK(skill_catalog(loaded, 4'000).ends_with("\n- pdf: Reads PDF files: when one is named\n"));
}

TEST_CASE(
    "the project's skill goes before the user's, one without a description is left out, and both are said") {
  SkillWorld world;
  world.put(world.project / ".claude/skills/a/SKILL.md", "---\ndescription: Theirs\n---\nx");
  world.put(world.home / ".agents/skills/a/SKILL.md", "---\ndescription: Mine\n---\nx");
  world.put(world.home / ".agents/skills/b/SKILL.md", "Nothing said.");
  const auto loaded = world.load();
  REQUIRE(loaded.skills.size() == 1);
  CHECK(loaded.skills.front().description == "Theirs");
  CHECK(loaded.problems.size() == 2);
}

TEST_CASE("a skill whose name is a sentence is called by its folder") {
  SkillWorld world;
  world.put(world.home / ".claude/skills/hook-development/SKILL.md",
            "---\nname: Hook Development\ndescription: Makes hooks\n---\nx");
  const auto loaded = world.load();
  CHECK(loaded.problems.empty());
  CHECK(loaded.find("hook-development") != nullptr);
}

TEST_CASE("quotes of a head are taken off as YAML does") {
  const auto head =
      frontmatter("---\na: \"say \\\"deck\\\" \\\\ here\"\nb: 'it''s \\n'\nc: plain \"words\"\n---\n");
  CHECK(head.get("a") == R"(say "deck" \ here)");
  CHECK(head.get("b") == R"(it's \n)");
  CHECK(head.get("c") == R"(plain "words")");
}

TEST_CASE("a name without its prefix means the only one that has it") {
  SkillWorld world;
  for (const char* plugin : {"one", "two"}) {
    world.put(world.dir.path() / plugin / "skills/both/SKILL.md", "---\ndescription: Both\n---\nx");
    world.put(world.dir.path() / plugin / "skills" / plugin / "SKILL.md", "---\ndescription: Own\n---\nx");
  }
  const auto loaded = load_skills({.projects = {},
                                   .home = {},
                                   .config = {},
                                   .plugins = {world.dir.path() / "one", world.dir.path() / "two"}});
  REQUIRE(loaded.skills.size() == 4);
  const auto meant = [&](std::string_view name) {
    const auto* skill = meant_by(name, loaded.skills);
    return skill ? skill->name : std::string();
  };
  CHECK(meant("one:both") == "one:both");
  CHECK(meant("two") == "two:two");
  CHECK(meant("both").empty());
  CHECK(meant("wo").empty());
  CHECK(meant("").empty());
}

TEST_CASE("an untrusted project has no skills, and without any there is no catalog") {
  SkillWorld world;
  world.put(world.project / ".claude/skills/evil/SKILL.md", "---\ndescription: Evil\n---\nx");
  CHECK(world.load(false).skills.empty());
  CHECK(skill_catalog(world.load(false), 4'000).empty());
}

TEST_CASE("a catalog keeps to its limit: shorter descriptions first, then names alone") {
  SkillWorld world;
  for (int i = 0; i < 30; ++i)
    world.put(world.home / ".agents/skills" / ("skill-" + std::to_string(i)) / "SKILL.md",
              "---\ndescription: " + std::string(900, 'd') + "\n---\nx");
  const auto loaded = world.load();
  for (const std::size_t limit : {40'000UL, 8'000UL, 4'000UL, 600UL, 200UL, 20UL}) {
    INFO(limit);
    CHECK(skill_catalog(loaded, limit).size() <= limit);
  }
  CHECK(skill_catalog(loaded, 8'000).find("- skill-29: ddd") != std::string::npos);
  CHECK(skill_catalog(loaded, 600).find("- skill-29\n") != std::string::npos);
}

TEST_CASE("a used skill says what its file says and names its other files without reading them") {
  SkillWorld world;
  const auto folder = world.project / ".claude/skills/pdf";
  world.put(folder / "SKILL.md", "---\ndescription: PDF\n---\n\nUse it.");
  world.put(folder / "references/forms.md", "secret of the third level");
  const auto content = skill_content(world.load().skills.front());
  CHECK(content ==
        "<skill_content name=\"pdf\" folder=\"" + folder.string() +
            "\">\nUse it.\n\nFiles in its folder, to be read when they are needed:\n- references/forms.md\n"
            "</skill_content>");
}
