// The product's own binary reads pages in a process of their own.
#include <catch2/catch_test_macros.hpp>

#include "agent/web/page_apart.h"
#include "tests/support/places.h"
#include "tests/tools/world.h"
#include "tools/exec/process.h"
#include "tools/files/tool_changes.h"

using namespace tern;

namespace {

PageRead read_apart(const std::string& html, std::stop_token stop = {}) {
  set_supervisor(places::program());
  testing::World world;
  ToolChanges changes;
  ToolContext ctx{world.workspace, world.files, world.jobs, world.sandbox, changes, std::move(stop), "c1"};
  return read_page_apart(html, "https://example.com/a", ctx);
}

}  // namespace

TEST_CASE("a page is read apart as it is read here, however large") {
  std::string html = "<title>A\npage</title>";
  for (int n = 0; n < 20'000; ++n) html += "<p>中文 paragraph <a href='b'>" + std::to_string(n) + "</a></p>";
  const PageRead read = read_apart(html);
  CHECK(read.error.empty());
  CHECK(read.page.title == "A page");
  CHECK(read.page.text == html_markdown(html, "https://example.com/a").text);
}

TEST_CASE("a page made to fill the memory ends in a process of its own") {
  std::string html = "<p>";
  for (int n = 0; n < 3000; ++n) html += "<b id=" + std::to_string(n) + ">";
  for (int n = 0; n < 100'000; ++n) html += "<p>x";
  const PageRead read = read_apart(html);
  CHECK(read.error.find("too much memory or time") != std::string::npos);
  CHECK(read.page.text.empty());
}

TEST_CASE("reading a page is interrupted at once") {
  std::string html = "<p>";
  for (int n = 0; n < 300'000; ++n) html += "<div>";
  std::stop_source stop;
  stop.request_stop();
  CHECK(read_apart(html, stop.get_token()).error == "It was interrupted.");
}
