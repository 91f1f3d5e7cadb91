#include "compression/text/names.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace tern;

namespace {

std::string names(std::string_view line, Escapes escapes = Escapes::plain) {
  static constexpr const char* kinds[] = {"url",  "path",   "file",    "place", "ident",
                                          "flag", "number", "command", "error"};
  std::vector<Name> found;
  scan_names(line, escapes, found);
  std::string out;
  for (const auto& name : found) {
    if (!out.empty()) out += " ";
    out += std::string(kinds[static_cast<int>(name.kind)]) + "=" + std::string(name.text);
  }
  return out;
}

}  // namespace

TEST_CASE("identifiers are words with a hump or an underscore") {
  CHECK(names("call parseConfig and load_file, MAX_SIZE HTMLParser") ==
        "ident=parseConfig ident=load_file ident=MAX_SIZE ident=HTMLParser");
  CHECK(names("plain words and Capitals stay out, _x too") == "");
}

TEST_CASE("paths are named by their last two parts") {
  CHECK(names("see src/core/main.cpp.") == "path=core/main.cpp file=main.cpp");
  CHECK(names("/usr/lib and ../x") == "path=usr/lib");
  CHECK(names("in main.go:42: bad") == "file=main.go place=main.go:42");
  CHECK(names("object.method()") == "");
}

TEST_CASE("urls, flags and numbers") {
  CHECK(names("(https://a.b/c_d?e=1).") == "url=https://a.b/c_d?e=1");
  CHECK(names("run --dry-run -v") == "flag=dry-run");
  CHECK(names("#123 ABC-42 v1.2.3 9a8b7c6d 65536 12") ==
        "number=#123 number=ABC-42 number=9a8b7c6d number=65536");
  CHECK(names("version 1.2.3 of it") == "number=1.2.3");
  CHECK(names("n0-x e1-f2 c99-i3 d10/u7 w2-k") == "path=d10/u7");
}

TEST_CASE("an escape in JSON text belongs to no name") {
  CHECK(names(R"("a\nparseConfig\tload_file")", Escapes::json) == "ident=parseConfig ident=load_file");
  CHECK(names("ends in \\", Escapes::json) == "");
}

TEST_CASE("lines that report an error are told from others") {
  CHECK(reports_error("main.c:3: error: expected ';'"));
  CHECK(reports_error("FAIL: parser"));
  CHECK(reports_error("sh: foo: command not found"));
  CHECK(reports_error("cat: x: No such file or directory"));
  CHECK_FALSE(reports_error("not so bad, no terror here"));
}

TEST_CASE("an error is quoted by runs of four words") {
  std::vector<Name> found;
  scan_error_runs("error: expected token before parser end", found);
  REQUIRE(found.size() == 3);
  CHECK(found[0].text == "error: expected token before");
}

TEST_CASE("keys tell names and kinds apart and are the same in every run") {
  CHECK(key_of({NameKind::file, "a.cpp"}) == key_of({NameKind::file, std::string("a.cpp")}));
  CHECK(key_of({NameKind::file, "a.cpp"}) != key_of({NameKind::path, "a.cpp"}));
  CHECK(hash_text("") == hash_text(std::string_view()));
  CHECK(hash_text("12345678") != hash_text("123456789"));
}

TEST_CASE("names are the same wherever a line stands in its text") {
  const std::string line =
      "see src/app/main_window.cpp:42 and parseConfig(x) --dry-run https://a.io/b #123 v1.2.3 error: not "
      "found \\n\"deadbeef1\" "
      "x_y";
  for (std::size_t at = 0; at < 140; ++at) {
    const std::string padded = std::string(at, at % 3 ? ' ' : 'a') + "\n" + line + "\ntail_of_it";
    NameText text{.text = padded};
    std::vector<Name> alone, inside;
    CHECK(scan_names(line, Escapes::plain, alone) == scan_names(text, at + 1, at + 1 + line.size(), inside));
    REQUIRE(alone.size() == inside.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      CHECK(alone[i].kind == inside[i].kind);
      CHECK(alone[i].text == inside[i].text);
    }
  }
}

TEST_CASE("a name that holds a bad word reports nothing") {
  CHECK(reports_error("FAIL-fast"));
  CHECK(reports_error("java.lang.Error here"));
  CHECK(reports_error("assert_eq failed"));
  CHECK_FALSE(reports_error("parse_error(x) and error_2"));
  CHECK_FALSE(reports_error("open src/errors/error.ts"));
}
