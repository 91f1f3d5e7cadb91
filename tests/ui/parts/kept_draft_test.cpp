// What is kept of the prompt on disk: the draft, and the prompts said before.
#include "ui/parts/kept_draft.h"

#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"
#include "ui/parts/composer.h"
#include "ui/parts/history.h"
#include "ui/shell/keys.h"

using namespace tern;
using tern::test::TempDir;
namespace fs = std::filesystem;

TEST_CASE("a draft outlives its tern with its chips") {
  const TempDir folder;
  const std::string big = "one\ntwo \\ n\nthree\nfour\n";
  {
    KeptDraft draft(folder.path().string());
    Composer composer;
    composer.insert("see\n");
    composer.paste(big);
    CHECK(draft.keep(composer, 1'000) == 1'500);
    CHECK(fs::file_size(folder.path() / "draft-1") == 0);
    CHECK(draft.keep(composer, 1'500) == 0);
    CHECK(fs::file_size(folder.path() / "draft-1") > 0);
    struct stat info {};
    REQUIRE(::stat((folder.path() / "draft-1").c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
  }
  KeptDraft draft(folder.path().string());
  Composer composer;
  draft.restore(composer);
  CHECK(composer.text() == "see\n" + big);
  CHECK(composer.layout(60, 5).rows.back().text == "[Pasted 4 lines]");
  composer.take();
  CHECK(draft.keep(composer, 2'000) == 0);
  CHECK(fs::file_size(folder.path() / "draft-1") == 0);
}

TEST_CASE("the way out writes at once, and an empty draft leaves nothing") {
  const TempDir folder;
  {
    KeptDraft draft(folder.path().string());
    Composer composer;
    composer.insert("half a thought");
    draft.flush(composer);
  }
  CHECK(fs::exists(folder.path() / "draft-1"));
  {
    KeptDraft draft(folder.path().string());
    Composer composer;
    draft.restore(composer);
    CHECK(composer.text() == "half a thought");
    composer.take();
    draft.flush(composer);
  }
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("two terns of a project keep two drafts") {
  const TempDir folder;
  {
    KeptDraft one(folder.path().string()), two(folder.path().string());
    Composer composer, other;
    composer.insert("first");
    one.flush(composer);
    two.restore(other);
    CHECK(other.empty());
    other.insert("second");
    two.flush(other);
  }
  KeptDraft one(folder.path().string()), two(folder.path().string());
  Composer composer, other;
  one.restore(composer);
  two.restore(other);
  CHECK(composer.text() == "first");
  CHECK(other.text() == "second");
}

TEST_CASE("a pasted sign is still pasted after a restart, and a spoilt file is no harm") {
  Composer composer, other;
  composer.paste("!make");
  other.restore(composer.saved());
  CHECK(other.text() == "!make");
  CHECK(other.sign() == '\0');
  for (const std::string_view bytes :
       {"", "x", "typed", "typed \xF4", "typed \xF4\x80\x81\x81\n\n", "typed a\x1b[31mb\n\xFF\n"}) {
    Composer spoilt;
    spoilt.restore(bytes);
    spoilt.layout(20, 4);
    CHECK(spoilt.text().find('\x1b') == std::string::npos);
  }
}

TEST_CASE("prompts said before are kept to their newest half when they are many") {
  const TempDir folder;
  const std::string file = (folder.path() / "prompts").string();
  {
    std::ofstream out(file);
    for (int i = 0; i < 3'000; ++i) out << "prompt " << i << "\n";
  }
  History history(file);
  CHECK(history.entries().size() == 1'000);
  CHECK(history.entries().back() == "prompt 2999");
  history.add("two\nlines");
  const History again(file);
  CHECK(again.entries().size() == 1'001);
  CHECK(again.entries().back() == "two\nlines");
}

TEST_CASE("two actions on one key are named") {
  CHECK(rebind_clashes({{"todos", "f5"}, {"mode", "f6"}}).empty());
  const auto clashes = rebind_clashes({{"mode", "f5"}, {"todos", "f5"}});
  REQUIRE(clashes.size() == 1);
  CHECK(clashes[0] == "\"f5\" is given to both \"todos\" and \"mode\"; \"todos\" has it");
}
