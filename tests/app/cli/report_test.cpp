#include "app/cli/report_page.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "agent/store/window_history.h"
#include "app/cli/report_chart.h"
#include "compression/values/tokens.h"

using namespace tern;

namespace {

TimePoint at(int second) { return TimePoint(std::chrono::seconds(second)); }

ItemAdded said(Role role, std::string text) {
  Item item;
  item.role = role;
  item.blocks = {Text{std::move(text)}};
  return {make_item(item)};
}

UsageRow request(std::uint64_t turn, Tokens input, double dollars, int second, std::string purpose = "turn") {
  return {.turn = turn,
          .provider = "anthropic",
          .model = "claude-sonnet-4-5",
          .purpose = std::move(purpose),
          .input = input,
          .output = 100,
          .cache_read = 1'000,
          .dollars = dollars,
          .when = at(second)};
}

ReportFacts session() {
  ReportFacts facts{.id = "453ujthp",
                    .name = "Fix <b>tokenizer</b>",
                    .model = "anthropic/claude-sonnet-4-5",
                    .version = "0.1.0"};
  facts.limit = 100'000;
  facts.micro_at = 0.6;
  facts.conversation.emplace_back(said(Role::user, "Why does 1 < 2 && \"x\" fail?"));
  facts.conversation.emplace_back(said(Role::assistant, "It's the <script>alert(1)</script> tag."));
  ToolFinished done;
  done.label = "Bash";
  done.subject = "echo '</pre><img src=x onerror=alert(1)>'";
  done.text = "</pre></details><script>fetch('https://evil.example')</script>\x1b[31mred\x1b[0m";
  facts.conversation.emplace_back(done);
  facts.requests = {request(1, 9'000, 0.02, 10), request(1, 40'000, 0.03, 20), request(2, 70'000, 0.05, 30),
                    request(2, 500, 0.01, 31, "summary")};
  CompactionRecord record;
  record.tier = Tier::micro;
  record.before = 70'000;
  record.after = 30'000;
  record.why = "70% of 100k & \"more\"";
  record.audit = "41 of 47 details kept";
  record.when = at(32);
  facts.compactions = {record};
  return facts;
}

std::size_t times(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t where = text.find(part); where != text.npos; where = text.find(part, where + part.size()))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("nothing of a session is read as HTML by the page of it") {
  const std::string page = report_page(session());
  CHECK(page.find("<script") == page.npos);
  CHECK(page.find("<img") == page.npos);
  CHECK(page.find("<b>") == page.npos);
  CHECK(page.find("onerror=alert(1)&gt;") != page.npos);
  CHECK(page.find("&lt;script&gt;alert(1)&lt;/script&gt;") != page.npos);
  CHECK(page.find('\x1b') == page.npos);
  CHECK(times(page, "<details>") == times(page, "</details>"));
  CHECK(times(page, "<pre>") == times(page, "</pre>"));
  CHECK(page.find("default-src 'none'") != page.npos);
  CHECK(page.find("src=\"") == page.npos);
  CHECK(page.find("href=") == page.npos);
  CHECK(html_text("a\xff"
                  "b\0c")
            .find("a") == 0);
}

TEST_CASE(
    "the page of a session tells the conversation, the window, the compactions and the cost by source") {
  const std::string page = report_page(session());
  CHECK(page.find("Why does 1 &lt; 2 &amp;&amp; &quot;x&quot; fail?") != page.npos);
  CHECK(page.find("Request 3: 71k tokens, $0.0600, micro freed 40k") != page.npos);
  CHECK(page.find("41 of 47 details kept") != page.npos);
  CHECK(page.find("<td>summary</td>") != page.npos);
  CHECK(page.find("<td>turn</td><td>anthropic/claude-sonnet-4-5</td>") != page.npos);
}

TEST_CASE("an answer in Markdown is set as Markdown on the page of a session") {
  ReportFacts facts = session();
  facts.conversation.emplace_back(
      said(Role::assistant,
           "# The *cause*\n\nLine **202** of `a<b>.cpp`, see [the docs](https://x.example/?a=1&b=2)"
           " and [the file](src/a.cpp \"t\"), ![shot](https://x.example/s.png).\n\n"
           "- one\n- two\n\n3. three\n\n- [x] done\n\n> said\n\n```cpp\nif (a < b) return;\n```\n\n"
           "| file | lines |\n|---|--:|\n| `a.cpp` | 12 |\n\n&copy; &lt;i&gt; ~~old~~\n"));
  const std::string page = report_page(facts);
  for (const char* part :
       {"<h3>The <em>cause</em></h3>", "Line <strong>202</strong> of <code>a&lt;b&gt;.cpp</code>",
        "<a rel=\"noreferrer\" href=\"https://x.example/?a=1&amp;b=2\">the docs</a>", "the file (src/a.cpp)",
        "href=\"https://x.example/s.png\">shot</a>", "<ul><li>one</li>\n<li>two</li>\n</ul>",
        "<ol start=\"3\">", "<li>☒ done</li>", "<blockquote><p>said</p>\n</blockquote>",
        "<pre><code>if (a &lt; b) return;\n</code></pre>", "<th class=\"n\">lines</th>",
        "<td class=\"n\">12</td>", "© &lt;i&gt; <del>old</del>"}) {
    INFO(part);
    CHECK(page.find(part) != page.npos);
  }
  CHECK(page.find("**") == page.npos);
}

TEST_CASE("Markdown of a session cannot leave its place on the page") {
  ReportFacts facts = session();
  facts.conversation.emplace_back(
      said(Role::assistant,
           "[a](javascript:alert\\(1\\)) [b](https://x.example/\"onclick=\"alert) <img src=x> "
           "![c](data:text/html;x) <https://x.example/'q>\n\n```\n</code></pre><script>1</script>\n```\n\n"
           "</div><div onclick=alert(1)>\n"));
  const std::string page = report_page(facts);
  CHECK(page.find("<script") == page.npos);
  CHECK(page.find("<img") == page.npos);
  CHECK(page.find("href=\"javascript") == page.npos);
  CHECK(page.find("href=\"data") == page.npos);
  CHECK(page.find("\"onclick") == page.npos);
  CHECK(page.find("<div onclick") == page.npos);
  CHECK(times(page, "<div") == times(page, "</div>"));
  CHECK(times(page, "<a ") == times(page, "</a>"));
}

TEST_CASE("a session without a request has a page, too") {
  const std::string page = report_page({.id = "x", .model = "demo"});
  CHECK(page.find("No model has been asked yet.") != page.npos);
  CHECK(page.find("No compactions.") != page.npos);
}

TEST_CASE("the history of the window has a point for each request of a turn") {
  const ReportFacts facts = session();
  const auto points = window_history(facts.requests, facts.compactions);
  REQUIRE(points.size() == 3);
  CHECK(points[1].used == 41'100);
  CHECK(points[1].acted == Tier::none);
  CHECK(points[2].used == 71'100);
  CHECK(points[2].acted == Tier::micro);
  CHECK(points[2].freed == 40'000);
  CHECK(points[2].dollars > 0.059);
  CHECK(window_history({}, facts.compactions).empty());
  CompactionRecord undone = facts.compactions[0];
  undone.undone = true;
  CHECK(window_history(facts.requests, {undone})[2].acted == Tier::none);
}

TEST_CASE("a chart is stacked by what the requests were made of") {
  ReportFacts facts = session();
  facts.requests[2].sources = {{"system", 1'000}, {"tools", 4'000},  {"prompts", 500}, {"answers", 5'000},
                               {"Bash", 59'000},  {"output", 1'000}, {"mcp__a", 100},  {"summaries", 500}};
  const auto points = window_history(facts.requests, facts.compactions);
  REQUIRE(points.size() == 3);
  CHECK(points[0].parts.empty());
  std::vector<Tokens> tokens;
  for (const Part& part : points[2].parts) tokens.push_back(part.tokens);
  CHECK(tokens == std::vector<Tokens>{1'000, 4'000, 0, 500, 6'000, 59'100, 500});
  const std::string chart = report_chart(points, facts.limit, {});
  CHECK(times(chart, "<rect") == 2 + 6 + 3);  // two without parts, six kinds, three costs
  CHECK(times(chart, "fill=\"var(--kind-results)\"") == 1);
  CHECK(times(chart, "background:var(--kind-assistant)") == 1);
  CHECK(chart.find("kind-memory") == chart.npos);
  CHECK(chart.find("results: 59k") != chart.npos);
}
