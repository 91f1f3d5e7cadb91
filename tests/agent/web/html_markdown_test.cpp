#include "agent/web/html_markdown.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace tern;

namespace {
std::string shown(const std::string& html) {
  return html_markdown(html, "https://example.com/docs/page.html").text;
}
}  // namespace

TEST_CASE("a page is read as its reader sees it") {
  const auto page = html_markdown(
      "<html><head><title> The page </title><style>p{}</style></head><body><nav>Menu</nav><h2>Head  ing</h2>"
      "<p>One <b>bold</b> and <em>slanted</em>\n word, <code>x = 1</code>.</p><script>evil()</script>"
      "<ul><li>first</li><li>second<ul><li>inner</li></ul></li></ul><ol><li>a</li><li>b</li></ol>"
      "<pre>  int x;\n  int y;</pre><blockquote><p>said</p></blockquote><p>中文也好</p></body></html>",
      "https://example.com/");
  CHECK(page.title == "The page");
  CHECK(page.text.find("Menu") == std::string::npos);
  CHECK(page.text.find("evil") == std::string::npos);
  CHECK(page.text.find("## Head ing\n\nOne **bold** and *slanted* word, `x = 1`.\n") != std::string::npos);
  CHECK(page.text.find("- first\n- second\n  - inner\n") != std::string::npos);
  CHECK(page.text.find("1. a\n2. b\n") != std::string::npos);
  CHECK(page.text.find("```\n  int x;\n  int y;\n```") != std::string::npos);
  CHECK(page.text.find("> said") != std::string::npos);
  CHECK(page.text.find("中文也好") != std::string::npos);
}

TEST_CASE("a table keeps its columns and a link its target") {
  CHECK(shown("<table><tr><th>Name</th><th>Size</th></tr><tr><td>a<br>b</td><td>3</td></tr></table>")
            .find("| Name | Size |\n| --- | --- |\n| a b | 3 |") != std::string::npos);
  CHECK(shown("<a href='../up'>there</a>").find("[there](https://example.com/docs/../up)") !=
        std::string::npos);
  CHECK(shown("<a href='javascript:evil()'>here</a>") == "here\n");
}

TEST_CASE("a link leads where a browser would go") {
  const char* base = "https://example.com/docs/page.html?q=1";
  CHECK(join_url(base, "other") == "https://example.com/docs/other");
  CHECK(join_url(base, "/top#part") == "https://example.com/top");
  CHECK(join_url(base, "//cdn.example.com/x") == "https://cdn.example.com/x");
  CHECK(join_url(base, "?q=2") == "https://example.com/docs/page.html?q=2");
  CHECK(join_url(base, "http://a.b/c:d") == "http://a.b/c:d");
  CHECK(join_url("https://example.com", "x") == "https://example.com/x");
  for (const char* none : {"#part", "mailto:a@b.c", "data:text/html,x", "file:///etc/passwd", " "})
    CHECK(join_url(base, none).empty());
}

TEST_CASE("pages that are not pages cost no more than their bytes") {
  std::string deep;
  for (int n = 0; n < 10'000; ++n) deep += "<div>";
  CHECK(shown(deep + "x").size() < 100);
  CHECK(shown("").size() < 3);
  CHECK(shown(std::string("\0<p>\xff\xfe</p>", 10)).size() < 40);
}
