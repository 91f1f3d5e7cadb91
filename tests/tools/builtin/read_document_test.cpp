// Read on files that are not text: PDFs and notebooks.
#include <catch2/catch_test_macros.hpp>

#include "tests/support/pdf_file.h"
#include "tests/support/places.h"
#include "tests/tools/world.h"
#include "tools/exec/process.h"

using namespace tern;
using namespace tern::testing;
using test::pdf_of;

TEST_CASE("a document that could not be shown is not called unchanged") {
  World world;
  put(world.root / "broken.pdf", "%PDF-1.4\nnothing of a document\n");
  for (int i = 0; i < 2; ++i) {
    const ToolOutput out = world.read("broken.pdf");
    CHECK(out.is_error);
    CHECK_FALSE(out.unchanged_reread);
  }
}

TEST_CASE("a PDF is its text where pdftotext is, else a refusal that names it") {
  World world;
  put(world.root / "report.pdf", pdf_of({"Quarterly figures", "Outlook"}));
  set_supervisor(places::supervisor());
  if (std::system("pdftotext -v > /dev/null 2>&1") == 0) {
    const auto whole = world.read("report.pdf");
    CHECK_FALSE(whole.is_error);
    CHECK(has(whole.text, "Quarterly figures"));
    CHECK(has(whole.text, "[page 2]"));
    CHECK(has(whole.text, "[text of a PDF of 2 pages; report.pdf#3-7 reads pages 3 to 7]"));
    const auto second = world.read("report.pdf#2-");
    CHECK_FALSE(has(second.text, "Quarterly figures"));
    CHECK(has(second.text, "Outlook"));
    CHECK(has(world.read("report.pdf#3").text, "no such pages"));
    CHECK(has(world.read("report.pdf#last").text, "a range: report.pdf#3-7"));
  }
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", world.root.c_str(), 1);
  fs::copy_file(world.root / "report.pdf", world.root / "again.pdf");
  const auto without = world.read("again.pdf");
  ::setenv("PATH", path.c_str(), 1);
  CHECK(without.is_error);
  CHECK(has(without.text, "pdftotext is not installed"));
}

TEST_CASE("a small PDF goes as it is to a model that reads documents, a long one and a range as text") {
  World world;
  world.files.takes_documents = true;
  const std::string small = pdf_of({"Quarterly figures"});
  put(world.root / "small.pdf", small);
  put(world.root / "long.pdf", pdf_of(std::vector<std::string>(11, "Chapter")));
  set_supervisor(places::supervisor());
  const auto document = world.read("small.pdf");
  REQUIRE(document.images.size() == 1);
  CHECK(document.images[0].media_type == "application/pdf");
  CHECK(document.images[0].bytes == small);
  CHECK(world.read("small.pdf").unchanged_reread);
  if (std::system("pdftotext -v > /dev/null 2>&1") != 0) return;
  const auto range = world.read("small.pdf#1");
  CHECK(range.images.empty());
  CHECK(has(range.text, "Quarterly figures"));
  const auto text = world.read("long.pdf");
  CHECK(text.images.empty());
  CHECK(has(text.text, "[page 11]"));
}

TEST_CASE("a notebook is told by its cells, with the pictures of their outputs") {
  World world;
  put(world.root / "a.ipynb",
      R"j({"cells":[{"cell_type":"code","source":["x = 1\n","x"],"outputs":[{"data":{"text/plain":["1"]}}]},
                  {"cell_type":"code","source":"plot(x)","outputs":[
                    {"data":{"text/plain":"<Figure>","image/png":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk\n+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==\n"}},
                    {"data":{"image/png":"bm8gcGljdHVyZQ=="}}]},
                  {"cell_type":"markdown","source":"# 标题"}]})j");
  const auto told = world.read("a.ipynb");
  CHECK(has(told.text, "# Cell 1 (code)\n2\tx = 1\n3\tx\n4\t# Output\n5\t1\n6\t# Cell 2 (code)"));
  CHECK(has(told.text, "# Output\n9\t[picture 1]\n10\t# Output\n11\t(image/png)"));
  CHECK(has(told.text, "# 标题"));
  REQUIRE(told.images.size() == 1);
  CHECK(told.images[0].media_type == "image/png");
  put(world.root / "b.ipynb", "[]");
  CHECK(has(world.read("b.ipynb").text, "1\t[]"));
}

TEST_CASE("permission is asked for the document, whichever pages are meant") {
  const auto read = builtin_tools().find("Read");
  CHECK(read->paths({{"file_path", "a/secret.pdf#3-7"}}) == std::vector<std::string>{"a/secret.pdf"});
  CHECK(read->paths({{"file_path", "a#b.txt"}}) == std::vector<std::string>{"a#b.txt"});
}
