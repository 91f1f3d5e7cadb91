// Notes in the store and as files: what a person edits is taken back, what a link or another folder holds is
// not.
#include "agent/store/note_book.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>

#include "agent/store/store.h"
#include "tests/support/temp_dir.h"

using namespace tern;

namespace {

std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Desk {
  test::TempDir folder;
  std::unique_ptr<Store> store = Store::open({.folder = folder.path()});
  OpenedSession opened = store->create({"notes", "/tmp", "test/model"});
  NoteBook book{*store, folder.path()};
};

}  // namespace

TEST_CASE("a note is kept in the store and as a file, and read, searched, appended to and removed") {
  Desk desk;
  CHECK(desk.book.list() == "There are no notes yet.");
  CHECK(desk.book.write("plan", "Use 两 parsers", 3, false) == "Kept plan.md, 1 line.");
  CHECK(desk.book.write("plan.md", "then Lex it", 4, true) == "Kept plan.md, 2 lines.");
  CHECK(file_text(desk.folder.path() / "notes/plan.md") == "Use 两 parsers\nthen Lex it\n");
  CHECK(desk.book.read("plan") == "Use 两 parsers\nthen Lex it\n");
  CHECK(desk.book.search("lex") == "plan.md:2  then Lex it\n");
  CHECK(desk.book.last_turn() == 4);
  CHECK(desk.book.write("plan", "", 5, false) == "Removed plan.md.");
  CHECK_FALSE(std::filesystem::exists(desk.folder.path() / "notes/plan.md"));
  CHECK(desk.book.read("plan").find("There is no note plan") == 0);
}

TEST_CASE("what a person edits, adds or deletes is taken back") {
  Desk desk;
  desk.book.write("a", "one", 1, false);
  desk.book.write("b", "two", 1, false);
  std::ofstream(desk.folder.path() / "notes/a.md") << "one, by hand\n";
  std::ofstream(desk.folder.path() / "notes/mine.md") << "mine\n";
  std::filesystem::remove(desk.folder.path() / "notes/b.md");
  CHECK(desk.book.list() == "a.md  1 line\nmine.md  1 line\n");
  CHECK(desk.book.read("a") == "one, by hand\n");
  NoteBook later(*desk.store, desk.folder.path());
  CHECK(later.read("mine") == "mine\n");
}

TEST_CASE("a name cannot lead out of the folder, and a link in it is not followed") {
  Desk desk;
  CHECK(note_name("../../etc/passwd") == "etc-passwd.md");
  CHECK(note_name("a\nb").empty());
  CHECK(note_name("...").empty());
  CHECK(note_name("") == "notes.md");
  desk.book.write("../x", "kept", 1, false);
  CHECK(std::filesystem::exists(desk.folder.path() / "notes/x.md"));
  std::ofstream(desk.folder.path() / "secret") << "secret\n";
  std::filesystem::create_symlink(desk.folder.path() / "secret", desk.folder.path() / "notes/link.md");
  CHECK(desk.book.list() == "x.md  1 line\n");
}

TEST_CASE("notes outlast the process, also where no folder can be written") {
  test::TempDir folder;
  std::string id;
  {
    auto store = Store::open({.folder = folder.path()});
    id = store->create({"one", "/tmp", "test/model"}).id;
    NoteBook book(*store, {});
    book.write("plan", "in the store", 2, false);
  }
  auto store = Store::open({.folder = folder.path()});
  std::string why;
  REQUIRE(store->resume(id, why));
  NoteBook book(*store, {});
  CHECK(book.read("plan") == "in the store\n");
  CHECK(book.last_turn() == 2);
  CHECK(book.write("big", std::string(70'000, 'x'), 3, false).find("Not kept: ") == 0);
}
