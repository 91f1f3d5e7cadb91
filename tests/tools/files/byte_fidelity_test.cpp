// Edit on every kind of file: outside the span every byte, the mode, the owner, attributes and links stay, or
// nothing happens.
#include <sys/mount.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <csignal>
#include <random>

#include "tests/tools/world.h"
#include "tools/files/atomic_write.h"
#include "tools/files/encoding.h"

using namespace tern;
using namespace tern::testing;

namespace {

std::string in(Encoding encoding, std::string_view text) {
  std::string misfit;
  return encode(text, encoding, misfit).value();
}

struct Kind {
  const char* name;
  std::string head, tail;  // around the span, as bytes
  Encoding encoding = Encoding::utf8;
};

// The span is "value = 1" in the encoding; it becomes "value = 22".
std::vector<Kind> kinds() {
  using namespace std::string_literals;
  return {
      {"LF", "a\nb\n", "\nc\n"},
      {"CRLF", "a\r\nb\r\n", "\r\nc\r\n"},
      {"CR only", "a\rb\r", "\rc\r"},
      {"mixed endings", "a\r\nb\n", "\nc\r\nd\re\n"},
      {"no last newline", "a\n", "\nlast"},
      {"nothing around it", "", ""},
      {"trailing blanks", "a  \t\n", "  \n\t\n"},
      {"UTF-8 mark",
       "\xef\xbb\xbf"
       "a\n",
       "\n"},
      {"UTF-8 text", "größe 中文 😀\n", "\nñ"},
      {"NFD and NFC", "e\u0301 \u00e9\n", "\no\u0308"},
      {"curly quotes and special blanks", "“a”\u00a0‘b’\u2003…\n", "\nﬁ：Ａ\u200b"},
      {"broken UTF-8 among much UTF-8", "größe größe größe größe größe \xff\xfe\n", "\nä\xc3\n"},
      {"Windows-1252", "caf\xe9 \x93q\x94\n", "\nna\xefve\n", Encoding::cp1252},
      {"Latin-1 with holes of Windows-1252", "odd \x81 caf\xe9\n", "\n\x9d\n", Encoding::latin1},
      {"GBK", in(Encoding::gbk, "这是注释，说明配置文件的格式\n"), in(Encoding::gbk, "\n结束的地方\n"),
       Encoding::gbk},
      {"Shift-JIS", in(Encoding::shift_jis, "これは設定ファイルのコメントです\n"),
       in(Encoding::shift_jis, "\nここまでです\n"), Encoding::shift_jis},
      {"UTF-16LE with mark", "\xff\xfe" + in(Encoding::utf16le, "a中\r\n"), in(Encoding::utf16le, "\r\n😀"),
       Encoding::utf16le},
      {"UTF-16BE with mark", "\xfe\xff" + in(Encoding::utf16be, "a中\n"), in(Encoding::utf16be, "\nb"),
       Encoding::utf16be},
      {"UTF-16LE without mark", in(Encoding::utf16le, "plain words here\n"),
       in(Encoding::utf16le, "\nmore words\n"), Encoding::utf16le},
      {"form feeds and escapes", "a\f\x1b[31mred\x1b[0m\n", "\n\b\x07\n"},
      {"a very long line", std::string(300'000, 'x') + "\n", "\n" + std::string(100'000, 'y')},
      {"tabs and indentation", "\t\tif x:\n\t\t\t", "\n\t\t\tend\n"},
      {"many lines",
       [] {
         std::string s;
         for (int i = 0; i < 20'000; ++i) s += "line " + std::to_string(i) + (i % 7 ? "\n" : "\r\n");
         return s;
       }(),
       "\n"},
      {"only line ends", "\n\r\n\n\n", "\n\n\r\n"},
  };
}

void expect_kept(World& world, const Kind& kind) {
  std::string span = in(kind.encoding, "value = 1"), fresh = in(kind.encoding, "value = 22");
  fs::path path = world.root / "file";
  put(path, kind.head + span + kind.tail);
  fs::permissions(path, fs::perms(0640));
  ::setxattr(path.c_str(), "user.note", "kept", 4, 0);
  REQUIRE_FALSE(world.read("file").is_error);
  ToolOutput output = world.edit("file", "value = 1", "value = 22");
  INFO(output.text);
  CHECK_FALSE(output.is_error);
  CHECK(get(path) == kind.head + fresh + kind.tail);
  CHECK((fs::status(path).permissions() & fs::perms::mask) == fs::perms(0640));
  char value[8] = {};
  if (::getxattr(path.c_str(), "user.note", value, sizeof value) >= 0) CHECK(std::string(value) == "kept");
}

}  // namespace

TEST_CASE("24 kinds of file keep every byte outside the edit") {
  auto all = kinds();
  REQUIRE(all.size() == 24);
  for (const auto& kind : all) {
    World world;
    INFO(kind.name);
    expect_kept(world, kind);
  }
}

TEST_CASE("an attribute stays where the file system has attributes") {
  World world;
  put(world.root / "f", "old");
  if (::setxattr((world.root / "f").c_str(), "user.note", "kept", 4, 0) != 0) SKIP("no user attributes here");
  world.read("f");
  world.edit("f", "old", "new");
  char value[8] = {};
  CHECK(::getxattr((world.root / "f").c_str(), "user.note", value, sizeof value) == 4);
}

namespace {

// What setfacl -m u:12345:rw would leave, in the kernel's own format: a version, then tag, rights and id of
// each entry.
std::string access_list() {
  struct Entry {
    std::uint16_t tag, rights;
    std::uint32_t id;
  };
  constexpr std::uint32_t version = 2, nobody = 0xffffffff;
  const Entry entries[] = {
      {0x01, 6, nobody}, {0x02, 6, 12345}, {0x04, 4, nobody}, {0x10, 6, nobody}, {0x20, 0, nobody}};
  std::string bytes(reinterpret_cast<const char*>(&version), sizeof version);
  return bytes.append(reinterpret_cast<const char*>(entries), sizeof entries);
}

std::string attribute(const fs::path& path, const char* name) {
  char value[256];
  const ssize_t size = ::getxattr(path.c_str(), name, value, sizeof value);
  return size < 0 ? std::string() : std::string(value, static_cast<std::size_t>(size));
}

}  // namespace

TEST_CASE("an access list stays, with Edit, Write and undo") {
  constexpr const char* acl = "system.posix_acl_access";
  World world;
  const fs::path path = world.root / "f";
  put(path, "old\n");
  const std::string list = access_list();
  if (::setxattr(path.c_str(), acl, list.data(), list.size(), 0) != 0)
    SKIP("no access lists on this file system");
  const std::string kept = attribute(path, acl);
  REQUIRE(kept.size() == list.size());
  world.read("f");
  CHECK_FALSE(world.edit("f", "old", "new").is_error);
  CHECK(attribute(path, acl) == kept);
  CHECK_FALSE(world.write("f", "other\n").is_error);
  CHECK(attribute(path, acl) == kept);
  CHECK((fs::status(path).permissions() & fs::perms::mask) ==
        fs::perms(0660));  // the list's mask shows as the group's rights
  CHECK(world.journal.undo(world.workspace, 0, 9, false).restored.size() == 1);
  CHECK(get(path) == "old\n");
  CHECK(attribute(path, acl) == kept);
}

TEST_CASE("a full disk leaves the old bytes, says so, and leaves no temp file") {
  World world;
  const fs::path small = world.root / "small";
  fs::create_directory(small);
  if (::mount("tern-test", small.c_str(), "tmpfs", 0, "size=64k") != 0) SKIP("mounting needs root");
  const std::string before = "one\n" + std::string(40'000, 'x') + "\n";
  put(small / "f", before);
  world.read("small/f");
  const ToolOutput edited = world.edit("small/f", "one", "two");  // both at once do not fit
  CHECK(edited.is_error);
  CHECK(has(edited.text, "No space left on device"));
  CHECK(get(small / "f") == before);
  CHECK(std::distance(fs::directory_iterator(small), {}) == 1);
  CHECK(world.write("small/new", std::string(60'000, 'y')).is_error);
  CHECK(std::distance(fs::directory_iterator(small), {}) == 1);
  ::umount2(small.c_str(), MNT_DETACH);
}

TEST_CASE("a link is kept and its target edited") {
  World world;
  put(world.root / "real", "old");
  fs::create_symlink("real", world.root / "link");
  world.read("link");
  CHECK_FALSE(world.edit("link", "old", "new").is_error);
  CHECK(fs::is_symlink(world.root / "link"));
  CHECK(get(world.root / "real") == "new");
}

TEST_CASE("hard links stay together") {
  World world;
  put(world.root / "one", "old and long");
  fs::create_hard_link(world.root / "one", world.root / "two");
  world.read("one");
  CHECK_FALSE(world.edit("one", "old and long", "new").is_error);
  CHECK(get(world.root / "two") == "new");
  CHECK(fs::hard_link_count(world.root / "one") == 2);
}

TEST_CASE("what is not an ordinary file is refused and nothing hangs") {
  World world;
  ::mkfifo((world.root / "fifo").c_str(), 0600);
  put(world.root / "blob", std::string("\x7f"
                                       "ELF\0\0\0\0value = 1",
                                       17));
  for (const char* path : {"fifo", "/dev/zero", "/dev/tty", "/proc/self/environ", "."}) {
    INFO(path);
    world.granted = true;
    CHECK(world.write(path, "x").is_error);
    CHECK(world.edit(path, "a", "b").is_error);
  }
  CHECK(world.read("fifo").is_error);
  CHECK(has(world.read("blob").text, "ELF"));
  fs::resize_file(world.root / "blob", 51u << 20);
  CHECK(has(world.edit("blob", "a", "b").text, "larger than 50 MB"));
}

TEST_CASE(
    "200 kills during the write leave the old or the new bytes, and no temp file after the next start") {
  World world;
  fs::path path = world.root / "file";
  std::string a(1 << 20, 'a'), b(900'000, 'b');
  put(path, a);
  std::mt19937 random(5);
  int mixed = 0, olds = 0, swept = 0, left = 0;
  using Clock = std::chrono::steady_clock;
  const Place target = world.workspace.locate("file");
  const auto began = Clock::now();
  atomic_write(
      world.workspace, target, a,
      {.expected = load_file(world.workspace, target).stamp, .leftovers = world.journal.leftovers()});
  const auto window =
      std::chrono::duration_cast<std::chrono::microseconds>(4 * (Clock::now() - began)).count() + 1'000;
  for (int round = 0; round < 200; ++round) {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    pid_t child = ::fork();
    if (child == 0) {
      ::close(ready[0]);
      bool to_b = get(path)[0] == 'a';
      (void)!::write(ready[1], "x", 1);
      for (;; to_b = !to_b) {
        Place place = world.workspace.locate("file");
        Loaded now = load_file(world.workspace, place);
        atomic_write(world.workspace, place, to_b ? b : a,
                     {.expected = now.stamp, .leftovers = world.journal.leftovers()});
      }
    }
    ::close(ready[1]);
    char byte = 0;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    ::close(ready[0]);
    const auto until = Clock::now() + std::chrono::microseconds(static_cast<long>(random()) % window);
    while (Clock::now() < until) {}
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    std::string now = get(path);
    mixed += now != a && now != b;
    olds += now == a;
    swept += static_cast<int>(clean_leftovers(world.journal.leftovers()));
    for (const auto& entry : fs::directory_iterator(world.root)) left += entry.path().filename() != "file";
    left += fs::exists(world.journal.leftovers()) && !fs::is_empty(world.journal.leftovers());
  }
  INFO("temp files swept: " << swept << ", rounds that ended on the first version: " << olds);
  CHECK(mixed == 0);
  CHECK(left == 0);
  CHECK(swept > 0);
}
