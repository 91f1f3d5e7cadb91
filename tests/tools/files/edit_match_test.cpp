// Edits as pure bytes in, bytes out.
#include <catch2/catch_test_macros.hpp>
#include <ctime>
#include <string>

#include "tests/tools/world.h"
#include "tools/files/edit_match.h"

using namespace tern;
using tern::testing::has;

namespace {

std::string edited(std::string_view file, std::string old_text, std::string new_text, bool all = false) {
  auto outcome = apply_edit(file, {std::move(old_text), std::move(new_text), all});
  INFO(outcome.error);
  CHECK(outcome.error.empty());
  return outcome.bytes;
}

std::string refused(std::string_view file, std::string old_text, std::string new_text) {
  auto outcome = apply_edit(file, {std::move(old_text), std::move(new_text), false});
  CHECK(outcome.bytes.empty());
  return outcome.error;
}

// As in a code file.
std::string in_code(std::string_view file, std::string old_text, std::string new_text) {
  auto outcome = apply_edit(file, {std::move(old_text), std::move(new_text), false, true});
  INFO(outcome.error);
  CHECK(outcome.error.empty());
  return outcome.bytes;
}

std::string ignored(std::string_view file, std::string old_text, std::string new_text) {
  return apply_edit(file, {std::move(old_text), std::move(new_text), false}).ignoring;
}

}  // namespace

TEST_CASE("an exact match changes its span and nothing else") {
  CHECK(edited("one two three", "two", "2") == "one 2 three");
  CHECK(edited("a\nb\nc", "b\n", "") == "a\nc");
  CHECK(edited("x x x", "x", "y", true) == "y y y");
  CHECK(edited("say “a” b", "“a”", "\"a\"") == "say \"a\" b");  // meant: straight ones
  CHECK(edited("tail  \nnext", "tail  \nnext", "tail\nnext") == "tail\nnext");
}

TEST_CASE("new lines take the ending of the place they go to") {
  CHECK(edited("a\r\nb\r\nc\r\n", "b", "b\nb2") == "a\r\nb\r\nb2\r\nc\r\n");
  CHECK(edited("a\r\nb\r\nc", "a\nb", "a\nB") == "a\r\nB\r\nc");
  CHECK(edited("a\rb\rc", "b", "b\nb2") == "a\rb\rb2\rc");
  CHECK(edited("a\nb\nc", "b", "b\r\nb2") == "a\nb\nb2\nc");
}

TEST_CASE("mixed line endings stay mixed") {
  CHECK(edited("a\r\nb\nc\r\nd\n", "b\nc\nd", "b\nC\nd") == "a\r\nb\nC\r\nd\n");
  CHECK(edited("a\r\nb\nc\r\n", "a\nb\nc\n", "a\nb\nnew\nc\n") == "a\r\nb\nnew\nc\r\n");
  CHECK(edited("a\r\nb\n\r\na\nb\n", "a\nb\n", "X\n", true) == "X\r\n\r\nX\n");
}

TEST_CASE("an edit that only changes line endings is taken literally") {
  CHECK(edited("a\r\nb\r\n", "a\r\nb\r\n", "a\nb\n") == "a\nb\n");
}

TEST_CASE("quotes and blanks of the file survive a match on plain ones") {
  CHECK(edited("He said “old” – it’s\u00a0ok", "said \"old\" - it's ok", "said \"new\" - it's ok") ==
        "He said “new” – it’s\u00a0ok");
  CHECK(edited("x = ‘a’;", "x = 'a';", "x = 'a' + 'b';") == "x = ‘a’ + ‘b’;");
  CHECK(has(ignored("“a”", "\"a\"", "\"b\""), "quotes"));
}

TEST_CASE("trailing blanks do not hide a match and stay on untouched lines") {
  CHECK(edited("a  \nb\t\nc\n", "a\nb\nc", "a\nB\nc") == "a  \nB\nc\n");
}

TEST_CASE("blanks that end the old text are missing at most where a line ends") {
  CHECK_FALSE(refused("limit = 100\n", "limit = 10 ", "limit = 20 ").empty());
  CHECK_FALSE(refused("limit = 100\n", "limit = 10\t", "limit = 20\t").empty());
  CHECK(edited("limit = 100\nlimit = 10\n", "limit = 10 ", "limit = 20 ") == "limit = 100\nlimit = 20\n");
  CHECK(edited("limit = 10", "limit = 10 ", "limit = 20 ") == "limit = 20");
}

TEST_CASE("a last line without an ending is found, and gets none") {
  CHECK(edited("a\nb", "b\n", "c\n") == "a\nc");
  CHECK(edited("a\r\nb", "b\n", "c\n") == "a\r\nc");
  CHECK(edited("a\nb", "a\nb\n", "a\nx\ny\n") == "a\nx\ny");
  CHECK(edited("a\nb", "b\n", "") == "a\n");
  CHECK(has(ignored("a\nb", "b\n", "c\n"), "no line ending"));
}

TEST_CASE("many matches take no more than their share of time") {
  std::string lines, one_line;
  for (int i = 0; i < 40000; ++i) lines += "the value of this line is not like that of others\n";
  for (char c : lines) one_line += c == '\n' ? ' ' : c;
  const std::clock_t begun = std::clock();
  CHECK(has(refused(lines, "value", "x"), "Found 40000 matches"));
  CHECK(edited(lines, "value", "x", true).size() == lines.size() - 4 * 40000);
  CHECK(edited(one_line, "value", "x", true).size() == lines.size() - 4 * 40000);
  CHECK((std::clock() - begun) / CLOCKS_PER_SEC < 5);
  std::stop_source stop;
  stop.request_stop();
  CHECK(has(apply_edit(lines, {"value", "x", true}, Charset{}, stop.get_token()).error, "Interrupted"));
}

TEST_CASE("indentation is the file's own") {
  CHECK(edited("\tif (x) {\n\t\ty();\n\t}\n", "    if (x) {\n        y();\n    }\n",
               "    if (x) {\n        y();\n        z();\n    }\n") ==
        "\tif (x) {\n\t\ty();\n\t\tz();\n\t}\n");
  CHECK(edited("    a();\n    b();\n", "a();\nb();", "a();\nif (q)\n    c();\nb();") ==
        "    a();\n    if (q)\n        c();\n    b();\n");
  CHECK(edited("    f(1);\n", "\tf(1);", "\tf(1);\n\t\tg(2);") == "    f(1);\n        g(2);\n");
  CHECK(ignored("\tx = 1\n", "    x = 1", "    x = 2") == "indentation");
}

TEST_CASE("new lines of code take the indent unit of the file") {
  const std::string tabs = "f {\n\ta();\n\tb();\n}\n", blanks = "f {\n  a();\n  b();\n}\n";
  CHECK(in_code(tabs, "\ta();\n", "\ta();\n    if (x)\n        c();\n") ==
        "f {\n\ta();\n\tif (x)\n\t\tc();\n\tb();\n}\n");
  CHECK(in_code(tabs, "a();", "a();\n  if (x) {\n    c();\n  }") ==
        "f {\n\ta();\n\tif (x) {\n\t\tc();\n\t}\n\tb();\n}\n");
  CHECK(in_code(blanks, "  b();", "  b();\n\tc();") == "f {\n  a();\n  b();\n  c();\n}\n");
  CHECK(in_code("f {\r\n\ta();\r\n\tb();\r\n}\r\n", "\tb();\n", "\tb();\n    c();\n") ==
        "f {\r\n\ta();\r\n\tb();\r\n\tc();\r\n}\r\n");
  const auto told = apply_edit(tabs, {"\ta();\n", "\ta();\n    c();\n", false, true});
  CHECK(told.indented == "tabs");
  CHECK(apply_edit(blanks, {"  b();", "  b();\n\tc();", false, true}).indented == "2 blanks");
  CHECK(apply_edit(tabs, {"a();", "c();", false, true}).indented.empty());
}

TEST_CASE("new lines stay as written where the unit of the file is in doubt") {
  const std::string tabs = "f {\n\ta();\n\tb();\n}\n", plain = "\ta();\n    c();\n";
  CHECK(edited(tabs, "\ta();\n", plain) == "f {\n\ta();\n    c();\n\tb();\n}\n");  // not known to be code
  const auto stays = [](const std::string& file, const std::string& old_text, const std::string& new_text) {
    CHECK(in_code(file, old_text, new_text) == edited(file, old_text, new_text));
  };
  stays("\ta();\n    b();\n\tc();\n", "\ta();\n", plain);         // a mixture
  stays("a();\n\ta();\n", "\ta();\n", plain);                     // one line says too little
  stays(tabs, "\ta();\n", "    a();\n");                          // the indentation is the edit
  stays(tabs, "\ta();\n", "\tq();\n    c();\n");                  // written with both
  stays(tabs, "\ta();\n", "\ta();\n\t    c();\n");                // aligned
  stays(tabs, "\ta();\n", "\ta();\n c();\n");                     // one blank is no step
  stays(tabs, "\ta();\n", "\ta();\n                    c();\n");  // as deep as this nothing here could be
  stays("s = `\n\ta();\n\tb();\n`\n", "\ta();\n", plain);         // inside a string
  stays("s = \"\"\"\n\ta();\n\tb();\n\"\"\"\n", "\ta();\n", plain);
  stays("s = R\"x(\n\ta();\n\tb();\n)x\"\n", "\ta();\n", plain);
  stays(tabs, "\ta();\n", "\ta(`\n    c\n`);\n");                              // brings one
  stays("#define F \\\n\ta(); \\\n\tb();\n", "\ta(); \\\n", "    c(); \\\n");  // lines that go on
  stays("/*\n\tx\n\tz\n", "\tx", "\tx\n * y");
  stays("f {\n  a();\n     b();\n         c();\n}\n", "  a();\n", "  a();\n\td();\n");  // no usual step
}

TEST_CASE("duplicates are named by their lines") {
  auto error = refused("x\ny\nx\n", "x", "z");
  CHECK(has(error, "Found 2 matches of the string to replace, at lines 1 and 3, but replace_all is false."));
}

TEST_CASE("what is not found is answered with the nearest lines") {
  auto error = refused("int main() {\n\treturn  compute(1);\n}\n", "return compute(2);", "x");
  CHECK(has(error, "String to replace not found in file."));
  CHECK(has(error, "2\t→return··compute(1);"));
  CHECK(has(error, "First difference: line 2"));
  CHECK(has(refused("a\nb\n", "1\ta\n2\tb", "x"), "line numbers"));
  CHECK(has(refused("alpha\n", "zzzz qqqq", "x"), "Read the file again"));
  CHECK_FALSE(has(refused("alpha\n", "9", "x"), "line numbers"));
  CHECK(has(refused("a\nb\n", "b\nc\n", "x"), "2\tb"));
}

TEST_CASE("other encodings are edited as text and written back as they were") {
  CHECK(edited("caf\xe9 = 1\nna\xefve = 2\n", "café = 1", "café = 3") == "caf\xe9 = 3\nna\xefve = 2\n");
  CHECK(edited("caf\xe9\n", "café", "thé café") == "th\xe9 caf\xe9\n");
  std::string utf16(
      "\xff\xfe"
      "a\0b\0\r\0\n\0c\0",
      12);
  CHECK(edited(utf16, "b", "b\nx") == std::string("\xff\xfe"
                                                  "a\0b\0\r\0\n\0x\0\r\0\n\0c\0",
                                                  18));
  auto error = refused("caf\xe9 = 1\n", "café = 1", "café = “1” → 2");
  CHECK(has(error, "→ (U+2192)"));
  CHECK(has(error, "Windows-1252"));
}

TEST_CASE("an old text that cuts through a character of another encoding does no harm") {
  std::string file = "caf\xe9 = 1 na\xefve\n";
  auto outcome = apply_edit(file, {"\xa9 = 1", "x", false});
  CHECK((!outcome.error.empty() || outcome.bytes.size() <= file.size()));
}

TEST_CASE("a byte that is no UTF-8 elsewhere in the file stays as it is") {
  std::string file = "größe größe größe größe größe\n\xff\xfe tail\nkey = 1\n";
  CHECK(edited(file, "key = 1", "key = 2") == "größe größe größe größe größe\n\xff\xfe tail\nkey = 2\n");
}

TEST_CASE("byte order mark and missing last newline stay") {
  CHECK(edited("\xef\xbb\xbf"
               "a\nb",
               "b", "c") ==
        "\xef\xbb\xbf"
        "a\nc");
  CHECK(edited("\xef\xbb\xbf"
               "a\nb",
               "a", "c") ==
        "\xef\xbb\xbf"
        "c\nb");
}

TEST_CASE("placeholders are recognised") {
  for (const char* line :
       {"  // ... rest of the code ...", "a\n# … existing methods unchanged\n",
        "/* ... remaining implementation */", "// ... rest of code", "// [rest of code unchanged]",
        "// rest of the code stays the same", "// ... keep the code above ...", "# ... implementation ...",
        "// ... existing code ...", "// ...existing code...", "<!-- ... existing content ... -->",
        "{/* ... existing code ... */}", "[... rest of the file unchanged ...]",
        "... rest of the function ...", "    # (unchanged)", "// same as before",
        "-- ... other columns unchanged", "// ... rest of UserService",
        "# … rest of the class remains the same …"}) {
    INFO(line);
    CHECK_FALSE(find_placeholder(line, "").empty());
  }
  CHECK(find_placeholder("// ... rest of code", "x // ... rest of code").empty());
}

TEST_CASE("code and comments that only look like placeholders are none") {
  for (const char* line : {"f(...args);",
                           "print(\"... rest of the line\");",
                           "const {a, ...rest} = props;",
                           "function debounce(fn, ...rest) {",
                           "template <class T, class... Rest>",
                           "class Other(Protocol): ...",
                           "def method(self) -> None: ...",
                           "export function log(line: string, ...other: unknown[]): void {",
                           "# Restoring the previous file...",
                           "puts \"Removing previous files...\" # ok",
                           "    ...",
                           "...existingFields,",
                           "// Rest of the arguments",
                           "# The rest of the file is a table made by mktable.py",
                           "// ... and other tests cover what happens when the disk is full",
                           "#define LOG(...) other_code(__VA_ARGS__)",
                           "// loads the existing file ... or makes one",
                           "return unchanged;",
                           "[rest]",
                           "{ ...other }",
                           "# unchanged lines are skipped by the differ"}) {
    INFO(line);
    CHECK(find_placeholder(line, "").empty());
  }
}

TEST_CASE("the same text twice is no change") {
  CHECK(refused("a", "a", "a") == "No changes to make: old_string and new_string are exactly the same.");
}
