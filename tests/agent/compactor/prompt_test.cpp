#include "agent/compactor/prompt.h"

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/agent/turn/turn_rig.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path root = test::fresh_folder();
  ~Folder() { fs::remove_all(root); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  }
};

}  // namespace

TEST_CASE(
    "the nearest memory file comes last, AGENTS.md before CLAUDE.md, and no file above the repository") {
  Folder folder;
  folder.write("AGENTS.md", "outside\n");
  folder.write("repo/.git/HEAD", "ref: refs/heads/main\n");
  folder.write("repo/AGENTS.md", "root rule\n");
  folder.write("repo/CLAUDE.md", "not this one\n");
  folder.write("repo/src/CLAUDE.md", "near rule\n");
  const auto files = memory_files(folder.root / "repo/src", {});
  REQUIRE(files.size() == 2);
  CHECK(files[0].text == "root rule\n");
  CHECK(files[1].text == "near rule\n");
}

TEST_CASE("a memory file imports others, each once and before it, five deep, from its own repository only") {
  Folder folder;
  folder.write("secret.md", "outside\n");
  folder.write("repo/.git/HEAD", "ref: refs/heads/main\n");
  folder.write("repo/AGENTS.md",
               "See @docs/style.md. Ask @bob, "
               "a@docs/mail.md.\n`@docs/mail.md`\n```\n@docs/mail.md\n```\n@../secret.md @AGENTS.md\n");
  folder.write("repo/docs/mail.md", "mail\n");
  folder.write("repo/docs/style.md", "style @../AGENTS.md @deep1.md\n");
  for (int i = 1; i <= 6; ++i)
    folder.write("repo/docs/deep" + std::to_string(i) + ".md",
                 "deep @deep" + std::to_string(i + 1) + ".md\n");
  fs::create_symlink(folder.root / "secret.md", folder.root / "repo/docs/link.md");
  folder.write("repo/CLAUDE.local.md", "mine alone @docs/link.md\n");
  const auto files = memory_files(folder.root / "repo", {});
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.path.filename().string());
  CHECK(names == std::vector<std::string>{"deep4.md", "deep3.md", "deep2.md", "deep1.md", "style.md",
                                          "AGENTS.md", "CLAUDE.local.md"});
  for (const auto& file : files) CHECK(file.tokens > 0);
}

TEST_CASE("memory files stop at 32 KB together, the nearest whole") {
  Folder folder;
  folder.write(".git/HEAD", "ref: refs/heads/main\n");
  folder.write("AGENTS.md", std::string(30'000, 'a'));
  folder.write("src/AGENTS.md", std::string(20'000, 'b'));
  const auto files = memory_files(folder.root / "src", {});
  REQUIRE(files.size() == 2);
  CHECK(files[1].text.size() == 20'000);
  CHECK_FALSE(files[1].cut);
  CHECK(files[0].text.size() == 32 * 1024 - 20'000);
  CHECK(files[0].cut);
  folder.write("src/AGENTS.md", std::string(32 * 1024, 'b'));
  const auto full = memory_files(folder.root / "src", {});
  REQUIRE(full.size() == 2);  // what has no room at all is named, not silently gone
  CHECK(full[0].text.empty());
  CHECK(full[0].cut);
  CHECK(system_prompt({}, full, PermissionMode::ask).text.find("[cut at 32 KB]") != std::string::npos);
}

TEST_CASE("above the folder only one's own memory files and root's are read") {
  if (::geteuid() != 0) SKIP("only root can give a file to somebody else");
  Folder folder;
  folder.write(".git/HEAD", "ref: refs/heads/main\n");
  folder.write("AGENTS.md", "left by somebody\n");
  folder.write("mine/AGENTS.md", "root's rule\n");
  folder.write("mine/linked/work/AGENTS.md", "the project's rule\n");
  fs::create_symlink(folder.root / "mine/AGENTS.md", folder.root / "mine/linked/AGENTS.md");
  constexpr uid_t somebody = 12345;
  REQUIRE(::chown((folder.root / "AGENTS.md").c_str(), somebody, somebody) == 0);
  REQUIRE(::lchown((folder.root / "mine/linked/AGENTS.md").c_str(), somebody, somebody) == 0);
  REQUIRE(::chown((folder.root / "mine/linked/work/AGENTS.md").c_str(), somebody, somebody) == 0);
  const auto files = memory_files(folder.root / "mine/linked/work", {});
  REQUIRE(files.size() == 2);
  CHECK(files[0].text == "root's rule\n");
  CHECK(files[1].text == "the project's rule\n");  // the folder itself is trusted, whoever owns its files
}

TEST_CASE("compact instructions are the section of the nearest file that has one") {
  const std::vector<MemoryFile> files = {
      {"a", "# A\n## Compact instructions\nkeep the tests\n\n### more\nand names\n## Other\nno\n", 0, false},
      {"b", "# B\nnothing here\n", 0, false}};
  CHECK(compact_instructions(files) == "keep the tests\n\n### more\nand names");
}

TEST_CASE(
    "compact instructions are known by their headings, at any level, in any case, in English and Chinese") {
  for (const char* heading :
       {"## Compact Instructions", "# compact instructions", "#### COMPRESSION INSTRUCTIONS",
        "# Summary instructions", "## Summary Instructions (for /compact)", "## 压缩指令", "# 摘要说明",
        "##\tCompact instruction"}) {
    INFO(heading);
    Folder folder;
    folder.write("AGENTS.md", "# P\nUse tabs.\n" + std::string(heading) + "\nKeep MEMWORD.\n\n# After\nno\n");
    CHECK(compact_instructions(memory_files(folder.root, {})) == "Keep MEMWORD.");
  }
  Folder folder;
  folder.write("AGENTS.md", "## Compact instructions\none\n## Other\nno\n## 压缩指令\ntwo\n");
  CHECK(compact_instructions(memory_files(folder.root, {})) == "one\ntwo");
}

TEST_CASE("branch and state are read without running git") {
  Folder folder;
  folder.write(".git/HEAD", "ref: refs/heads/feature/x\n");
  folder.write(".git/config", "[core]\n\tfsmonitor = touch hacked\n");
  CHECK(look_around(folder.root, {}).branch == "feature/x");
  folder.write(".git/MERGE_HEAD", "1\n");
  CHECK(look_around(folder.root, {}).branch == "feature/x (merging)");
  folder.write(".git/HEAD", "0123456789abcdef\n");
  CHECK(look_around(folder.root, {}).branch == "detached at 0123456 (merging)");
  CHECK_FALSE(fs::exists(folder.root / "hacked"));
}

TEST_CASE("a worktree's branch is found through its .git file") {
  Folder folder;
  folder.write("main/.git/worktrees/w/HEAD", "ref: refs/heads/side\n");
  folder.write("w/.git", "gitdir: ../main/.git/worktrees/w\n");
  CHECK(look_around(folder.root / "w", {}).branch == "side");
}

TEST_CASE("the prompt is small, names the folder and carries the memory") {
  const Surroundings where{"/somewhere/p", "Linux 6", "2026-01-02", "main"};
  const auto bare = system_prompt(where, {}, PermissionMode::ask);
  CHECK(bare.text.size() < 2'000);
  CHECK(bare.text.find("/somewhere/p (git: main)") != std::string::npos);
  CHECK(bare.memory == 0);
  const auto full =
      system_prompt(where, {{"/somewhere/p/AGENTS.md", "use tabs\n", 3, false}}, PermissionMode::plan);
  CHECK(full.text.find("use tabs") != std::string::npos);
  CHECK(full.text.find("PLAN MODE") != std::string::npos);
  CHECK(full.memory > 0);
}
