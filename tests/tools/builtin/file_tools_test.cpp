// Read, Write, Edit, MultiEdit and LS as the model meets them.
#include <catch2/catch_test_macros.hpp>

#include "tests/tools/world.h"

using namespace tern;
using namespace tern::testing;

TEST_CASE("Read numbers lines and shows no phantom last one") {
  World world;
  put(world.root / "a", "one\ntwo\n");
  auto output = world.read("a");
  CHECK(output.text == "1\tone\n2\ttwo");
  CHECK(output.note == "2 lines");
  CHECK(output.subject == "a");
  put(world.root / "b", "one\r\ntwo");
  CHECK(world.read("b").text == "1\tone\n2\ttwo");
  put(world.root / "c", "");
  CHECK(world.read("c").text == "(empty file)");
  put(world.root / "d", "\n");
  CHECK(world.read("d").text == "1\t");
}

TEST_CASE("Read pages and says so") {
  World world;
  std::string text;
  for (int i = 1; i <= 5000; ++i) text += "line " + std::to_string(i) + "\n";
  put(world.root / "a", text);
  auto first = world.read("a").text;
  CHECK(has(first, "2000\tline 2000\n[PARTIAL: lines 1-2000 of 5,000. Continue with offset=2001.]"));
  auto page = world.run("Read", {{"file_path", "a"}, {"offset", 4999}, {"limit", 10}}).text;
  CHECK(page == "4999\tline 4999\n5000\tline 5000\n[PARTIAL: lines 4999-5000 of 5,000, to the end.]");
  CHECK(has(world.run("Read", {{"file_path", "a"}, {"offset", 6000}}).text,
            "The file has 5000 lines; offset 6000 is past its end."));
  put(world.root / "wide", std::string(3000, 'x') + "\nshort\n");
  CHECK(has(world.read("wide").text, "… [+1,000 characters]\n2\tshort"));
  put(world.root / "fat", [] {
    std::string s;
    for (int i = 0; i < 1000; ++i) s += std::string(1000, 'y') + "\n";
    return s;
  }());
  auto fat = world.read("fat").text;
  CHECK(fat.size() < 257 * 1024);
  const auto shown = static_cast<std::size_t>(std::count(fat.begin(), fat.end(), 'y')) / 1000;
  const auto last = std::to_string(shown), next = std::to_string(shown + 1);
  CHECK(shown > 200);
  CHECK(has(fat, "[PARTIAL: lines 1-" + last + " of 1,000. Continue with offset=" + next + ".]"));
  CHECK(world.run("Read", {{"file_path", "fat"}, {"offset", shown + 1}}).text.rfind(next + "\tyyy", 0) == 0);
}

TEST_CASE("an unchanged re-read is one line, until its first result has left the context") {
  World world;
  put(world.root / "a", "one\n");
  world.read("a");
  auto again = world.read("a");
  CHECK(again.unchanged_reread);
  CHECK(again.text == "File unchanged since your last Read. Refer to that earlier tool_result instead.");
  world.files.forget_call("call_1");
  CHECK(world.read("a").text == "1\tone");
  put(world.root / "a", "two\n");
  CHECK(world.read("a").text == "1\ttwo");
}

TEST_CASE("Read helps with what is missing, lists directories, refuses the rest by name") {
  World world;
  put(world.root / "src/tokenizer.cpp", "x");
  put(world.root / "README.md", "x");
  CHECK(has(world.read("src/tokeniser.cpp").text, "Did you mean src/tokenizer.cpp?"));
  CHECK(has(world.read("readme.MD").text, "Did you mean README.md?"));
  CHECK(has(world.read("tokenizer.cpp").text, "Did you mean src/tokenizer.cpp?"));
  CHECK(has(world.read("zzz").text,
            "File does not exist. Note: your current working directory is " + world.root.native()));
  auto listing = world.read("src");
  CHECK_FALSE(listing.is_error);
  CHECK(has(listing.text, "- tokenizer.cpp  1 byte"));
  put(world.root / "x.gz", std::string("\x1f\x8b\x08\0\0\0\0", 7));
  CHECK(has(world.read("x.gz").text, "gzip archive, 7 bytes"));
  CHECK(has(world.read("../outside/x").text, "outside the workspace"));
}

TEST_CASE("images come back as images") {
  World world;
  put(world.root / "p.png", std::string("\x89PNG\r\n\x1a\n\0\0\0\0", 12));
  auto output = world.read("p.png");
  REQUIRE(output.images.size() == 1);
  CHECK(output.images[0].media_type == "image/png");
  CHECK(output.images[0].bytes.size() == 12);
  put(world.root / "photo", std::string("RIFF\x1a\0\0\0WEBPVP8L", 16));
  auto webp = world.read("photo");
  REQUIRE(webp.images.size() == 1);
  CHECK(webp.images[0].media_type == "image/webp");
  CHECK(webp.text == "(image/webp, 16 bytes)");
  put(world.root / "sound.wav", std::string("RIFF\x1a\0\0\0WAVEfmt ", 16));
  CHECK(world.read("sound.wav").is_error);
}

TEST_CASE("an unchanged image is not sent again while its first result stands") {
  World world;
  put(world.root / "p.png", std::string("\x89PNG\r\n\x1a\n\0\0\0\0", 12));
  CHECK(world.read("p.png").images.size() == 1);
  auto again = world.read("p.png");
  CHECK(again.unchanged_reread);
  CHECK(again.images.empty());
  CHECK(has(world.edit("p.png", "PNG", "GIF").text, "has not been read"));
  world.files.forget_call("call_1");
  CHECK(world.read("p.png").images.size() == 1);
}

TEST_CASE("a file too large to hold is read in its encoding, its long lines counted") {
  World world;
  std::string text = "// \xb2\xe2\xca\xd4\xce\xc4\xbc\xfe\n" + std::string(60'000'000, 'x') + "\nlast\n";
  put(world.root / "large", text);
  auto output = world.read("large");
  CHECK_FALSE(output.is_error);
  CHECK(output.text.rfind("1\t// 测试文件\n2\txxx", 0) == 0);
  CHECK(has(output.text, "… [+59,998,000 characters]\n3\tlast\n[GBK text, shown as UTF-8.]"));
}

TEST_CASE("the encoding is named and the text shown as UTF-8") {
  World world;
  put(world.root / "w", "caf\xe9\n");
  CHECK(world.read("w").text ==
        "1\tcafé\n[Windows-1252 text, shown as UTF-8; Edit and Write keep the encoding.]");
  put(world.root / "u", std::string("\xff\xfeh\0i\0\n\0", 8));
  CHECK(has(world.read("u").text, "1\thi\n[UTF-16LE"));
}

TEST_CASE("Edit insists on a read and tells what it did") {
  World world;
  put(world.root / "a", "one\ntwo\nthree\n");
  CHECK(world.edit("a", "two", "2").text ==
        "File has not been read yet. Read it first before writing to it.");
  world.read("a");
  auto output = world.edit("a", "two", "2");
  CHECK_FALSE(output.is_error);
  CHECK(output.note == "+1 −1");
  CHECK(output.diff == "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
  CHECK(has(output.text, "The file a has been updated: +1 −1 at line 2"));
  CHECK_FALSE(world.edit("a", "2", "zwei").is_error);  // its own edit is no reason to read again
  CHECK(has(world.edit("missing", "a", "b").text, "File does not exist."));
}

TEST_CASE("a file that changed meanwhile is edited where it is still clear, and the change is told") {
  World world;
  put(world.root / "a", "one\ntwo\nthree\nfour\n");
  world.read("a");
  put(world.root / "a", "ONE\ntwo\nthree\nfour\n");
  auto output = world.edit("a", "three", "3");
  CHECK_FALSE(output.is_error);
  CHECK(get(world.root / "a") == "ONE\ntwo\n3\nfour\n");
  CHECK(has(output.text, "had been modified since you read it"));
  CHECK(has(output.text, "-one\n+ONE"));
  put(world.root / "a", "x\nx\n");
  CHECK(has(world.edit("a", "x", "y", true).text, "modified since read"));
  CHECK(get(world.root / "a") == "x\nx\n");
}

TEST_CASE("touching a file without changing it is no change") {
  World world;
  put(world.root / "a", "one\n");
  world.read("a");
  fs::last_write_time(world.root / "a", fs::file_time_type::clock::now() + std::chrono::hours(1));
  CHECK_FALSE(has(world.edit("a", "one", "two").text, "modified"));
}

TEST_CASE("new lines of a code file take its indent unit, and the result says so") {
  World world;
  const std::string text = "f {\n\ta();\n\tb();\n}\n";
  for (const char* name : {"a.go", "a.yml"}) put(world.root / name, text), world.read(name);
  CHECK(has(world.edit("a.go", "\tb();\n", "\tb();\n    c();\n").text, "taken from the file: tabs."));
  CHECK(get(world.root / "a.go") == "f {\n\ta();\n\tb();\n\tc();\n}\n");
  CHECK_FALSE(has(world.edit("a.yml", "\tb();\n", "\tb();\n    c();\n").text, "taken from the file"));
  CHECK(get(world.root / "a.yml") == "f {\n\ta();\n\tb();\n    c();\n}\n");
}

TEST_CASE("MultiEdit is all or nothing") {
  World world;
  put(world.root / "a", "one two\n");
  world.read("a");
  auto bad = world.run(
      "MultiEdit",
      {{"file_path", "a"},
       {"edits",
        {{{"old_string", "one"}, {"new_string", "1"}}, {{"old_string", "six"}, {"new_string", "6"}}}}});
  CHECK(has(bad.text, "Edit 2 of 2 failed; none was applied."));
  CHECK(get(world.root / "a") == "one two\n");
  auto good = world.run(
      "MultiEdit",
      {{"file_path", "a"},
       {"edits",
        {{{"old_string", "one"}, {"new_string", "1"}}, {{"old_string", "1 two"}, {"new_string", "1 2"}}}}});
  CHECK_FALSE(good.is_error);
  CHECK(get(world.root / "a") == "1 2\n");
}

TEST_CASE("placeholders are refused") {
  World world;
  put(world.root / "a", "int f() {\n  return 1;\n}\n");
  world.read("a");
  CHECK(has(world.edit("a", "return 1;", "return 2;\n  // ... rest of the code ...").text, "placeholder"));
  CHECK(has(world.write("a", "int f();\n// ... existing code ...\n").text, "placeholder"));
}

TEST_CASE("an empty old_string creates a file") {
  World world;
  CHECK_FALSE(world.edit("new/deep/a", "", "hello\n").is_error);
  CHECK(get(world.root / "new/deep/a") == "hello\n");
  CHECK(has(world.edit("new/deep/a", "", "x").text, "Cannot create new file - file already exists."));
}

TEST_CASE("Write creates, replaces with care, and keeps encoding and line endings") {
  World world;
  CHECK(world.write("a", "x\ny\n").text == "File created successfully at: a");
  CHECK(has(world.write("a", "x\ny\n").text, "No change"));
  CHECK_FALSE(world.write("a", "z\n").is_error);
  put(world.root / "b", "unseen\n");
  CHECK(has(world.write("b", "new").text, "File has not been read yet."));
  world.read("b");
  put(world.root / "b", "changed\n");
  CHECK(has(world.write("b", "new").text, "modified since read"));
  put(world.root / "crlf", "a\r\nb\r\n");
  world.read("crlf");
  world.write("crlf", "c\nd\n");
  CHECK(get(world.root / "crlf") == "c\r\nd\r\n");
  put(world.root / "w", "caf\xe9\n");
  world.read("w");
  CHECK_FALSE(world.write("w", "thé\n").is_error);
  CHECK(get(world.root / "w") == "th\xe9\n");
  CHECK(has(world.write("w", "中\n").text, "中 (U+4E2D)"));
  CHECK(world.write(".", "x").is_error);
}

TEST_CASE("LS shows one level with sizes and links") {
  World world;
  put(world.root / "d/x", "");
  put(world.root / "f", "12345");
  fs::create_symlink("f", world.root / "l");
  CHECK(world.run("LS", {{"path", "."}}).text == world.root.native() + "/\n- d/\n- f  5 bytes\n- l  -> f");
  CHECK_FALSE(has(world.run("LS", {{"path", "."}, {"ignore", {"f"}}}).text, "- f"));
  CHECK(has(world.run("LS", {{"path", "f"}}).text, "use Read"));
}

TEST_CASE("Write does not turn bytes that are no text into replacement characters") {
  World world;
  const std::string damaged = "größe größe größe größe größe\n\xff\xfe tail\nkey = 1\n";
  put(world.root / "a", damaged);
  world.read("a");
  const auto refused = world.write("a", "größe\n\xef\xbf\xbd\xef\xbf\xbd tail\nkey = 2\n");
  CHECK(refused.is_error);
  CHECK(has(refused.text, "Use Edit"));
  CHECK(get(world.root / "a") == damaged);
  CHECK_FALSE(world.edit("a", "key = 1", "key = 2").is_error);
  CHECK_FALSE(world.write("a", "all new\n").is_error);
}

TEST_CASE("Write replaces no lines that were never shown") {
  World world;
  std::string text;
  for (int i = 1; i <= 5000; ++i) text += "line " + std::to_string(i) + "\n";
  put(world.root / "a", text);
  const auto page = [&](int offset, int limit) {
    world.run("Read", {{"file_path", "a"}, {"offset", offset}, {"limit", limit}});
  };
  page(1, 3);
  CHECK(
      has(world.write("a", "new\n").text, "lines from 4 on have not been shown. Read them first (offset=4)"));
  CHECK_FALSE(world.edit("a", "line 2\n", "line two\n").is_error);
  CHECK(world.write("a", "new\n").is_error);
  page(3001, 2000);
  page(1, 2000);
  CHECK(has(world.write("a", "new\n").text, "offset=2001"));
  page(1900, 1200);
  CHECK_FALSE(world.edit("a", "line 3\n", "line three\n").is_error);
  CHECK_FALSE(world.write("a", "new\n").is_error);
  CHECK_FALSE(world.write("a", "newer\n").is_error);
  CHECK(get(world.root / "a") == "newer\n");
}

TEST_CASE("what Read could not show is not edited") {
  World world;
  put(world.root / "a.pdf", "%PDF-1.4\nnothing of a document\n");
  world.read("a.pdf");
  CHECK(has(world.edit("a.pdf", "nothing", "x").text, "not been read"));
  put(world.root / "b", "text\n");
  world.read("b");
  put(world.root / "b", "%PDF-1.4\ntext\n");
  CHECK(has(world.edit("b", "text", "x").text, "PDF document"));
  put(world.root / "b", std::string("\x7f"
                                    "ELF\0\0\1\2text\n",
                                    13));
  CHECK(has(world.edit("b", "text", "x").text, "ELF"));
}

TEST_CASE("a workspace in shared memory is one like any other") {
  if (::access("/dev/shm", W_OK) != 0) SKIP("there is no /dev/shm to write in");
  World world;
  const fs::path root = fs::path("/dev/shm") / ("tern-test-" + std::to_string(::getpid()));
  put(root / "a", "one\n");
  world.workspace = Workspace(root);
  world.read("a");
  CHECK(world.edit("a", "one", "two").text.find("Refused") == std::string::npos);
  CHECK(get(root / "a") == "two\n");
  fs::remove_all(root);
}
