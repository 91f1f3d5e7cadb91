#include "compression/reading/snip.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "compression/text/utf8.h"
#include "compression/values/describe.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"

using namespace tern;

namespace {

std::string numbered(int from, int to) {
  static const char* const words[] = {"alpha", "beta", "gamma", "delta", "epsilon"};
  std::string text;
  for (int i = from; i <= to; ++i)
    text += std::string(words[i % 5]) + " step " + std::to_string(i) + " went well\n";
  return text;
}
std::string snipped(std::string_view text, RecallId recall = RecallId{17}) {
  return snip_text(text, {}, recall);
}
bool contains(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("what is within the limit passes untouched") {
  const std::string text(10'000, 'x');
  CHECK(snipped(text) == text);
  CHECK(snipped("") == "");
  std::string chinese;
  for (int i = 0; i < 10'000; ++i) chinese += "\xE5\xAD\x97";
  CHECK(snipped(chinese) == chinese);  // characters count, not bytes
}

TEST_CASE("head and tail stay, cut at lines, and the marker counts exactly what is gone") {
  const auto text = numbered(1, 1'000);
  const auto out = snipped(text);
  const auto marker = out.find("[\xE2\x80\xA6 ");
  REQUIRE(marker != out.npos);
  const auto head = out.substr(0, marker);
  const auto tail = out.substr(out.find('\n', marker) + 1);
  CHECK(text.starts_with(head));
  CHECK(text.ends_with(tail));
  CHECK(head.back() == '\n');
  CHECK(head.size() <= 3'000);
  CHECK(head.size() > 2'900);
  CHECK(tail.size() <= 3'000);
  const auto gone = text.substr(head.size(), text.size() - head.size() - tail.size());
  const auto lines = std::count(gone.begin(), gone.end(), '\n');
  const auto first = std::count(head.begin(), head.end(), '\n') + 1;
  const auto n = std::to_string(gone.size());
  CHECK(contains(out, n.substr(0, n.size() - 3) + "," + n.substr(n.size() - 3) + " characters, " +
                          std::to_string(lines) + " lines snipped (lines " + std::to_string(first) +
                          "\xE2\x80\x93" + std::to_string(first + lines - 1) + ") \xC2\xB7 recall r17]"));
}

TEST_CASE("error lines, failing tests and the exit status of the middle stay with their line numbers") {
  const auto text = numbered(1, 400) + "FAILED tests/parser.no_trailing_newline\n" + numbered(402, 500) +
                    "src/a.cpp:12:3: error: expected ';'\n" + numbered(502, 600) + "exit status 8\n" +
                    numbered(602, 1'000);
  const auto out = snipped(text);
  CHECK(contains(out, "401: FAILED tests/parser.no_trailing_newline\n"));
  CHECK(contains(out, "501: src/a.cpp:12:3: error: expected ';'\n"));
  CHECK(contains(out, "601: exit status 8\n"));
  CHECK(out.size() < 8'000);
}

TEST_CASE("line numbers are those of the original, also when repeats before them were collapsed") {
  std::string text = numbered(1, 20);
  for (int i = 0; i < 300; ++i) text += "waiting for the server to come up\n";
  text += numbered(321, 700) + "error: lost\n" + numbered(702, 1'200);
  CHECK(contains(snipped(text), "701: error: lost\n"));
}

TEST_CASE("many errors keep to their budget, the strong ones first") {
  std::string text = numbered(1, 300);
  for (int i = 0; i < 500; ++i)
    text += "connection " + std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(i) +
            " refused by peer\n";
  text += "fatal: giving up\n" + numbered(900, 1'400);
  const auto out = snipped(text);
  CHECK(contains(out, "fatal: giving up"));
  CHECK(out.size() < 9'000);
}

TEST_CASE("when collapsing repeats is enough, nothing else is cut") {
  std::string text = "begin\n";
  for (int i = 0; i < 1'000; ++i) text += "warning: the same thing again\n";
  const auto out = snipped(text + "end\n");
  CHECK(out ==
        "begin\nwarning: the same thing again\n[… the line above 999 times more]\nend\n"
        "[repeats collapsed: 30,010 characters, 1,002 lines before · recall r17]");
}

TEST_CASE("snip never grows a text, never splits a character, and does nothing the second time") {
  for (const std::size_t limit : {1, 10, 100, 1'000, 5'000}) {
    for (const std::string unit : {"x", "\xE5\xAD\x97", "word \xF0\x9F\x98\x80 and\n", "\n", "\xFF"}) {
      std::string text;
      while (text.size() < 30'000) text += unit;
      const SnipForm form{.limit = limit};
      const auto once = snip_text(text, form, RecallId{3});
      CHECK(once.size() <= text.size());
      for (std::size_t i = 0; i < once.size() && unit != "\xFF"; ++i) {
        if (utf8_floor(once, i) != i) CHECK(is_continuation(once[i]));
      }
      if (limit >= 1'000) CHECK(snip_text(once, form, RecallId{3}) == once);
    }
  }
}

TEST_CASE("the marker is exact where repeats were collapsed and a line was cut inside") {
  std::string text, words;
  for (int i = 0; i < 50; ++i) text += "the same line\n";
  while (words.size() < 52'900) words += "word" + std::to_string(words.size()) + " ";
  text += words + "\n";
  const auto out = snipped(text);
  const auto begin = out.find("more]\n") + 6, cut = out.find("\n[\xE2\x80\xA6 ", begin),
             next = out.find('\n', cut + 1) + 1;
  const auto head = out.substr(begin, cut - begin), tail = out.substr(next);
  REQUIRE(words.starts_with(head));
  REQUIRE((words + "\n").ends_with(tail));
  CHECK(head.size() > 2'000);
  const auto gone = std::to_string(words.size() + 1 - head.size() - tail.size());
  CHECK(contains(out, "[\xE2\x80\xA6 " + gone.substr(0, 2) + "," + gone.substr(2) +
                          " characters, 1 lines snipped (lines 51"));
}

namespace {

SnipForm halves(std::size_t limit = 3'000) {
  return {.limit = limit, .head = 0.5, .tail = 0.5, .halves = true};
}

std::size_t limit(const char* tool, const Arrival& arrival, const Budget& budget) {
  return snip_form({.tool = tool}, budget, arrival).limit;
}

}  // namespace

TEST_CASE("the limit of a result follows how full the window is, and a file that was asked for has its own") {
  const Budget budget;
  CHECK(limit("Bash", {.share = 0.0}, budget) == 30'000);
  CHECK(limit("Bash", {.share = 0.399}, budget) == 30'000);
  CHECK(limit("Bash", {.share = 0.4}, budget) == 10'000);
  CHECK(limit("Grep", {.share = 0.9, .ranged = true}, budget) == 10'000);
  for (const char* reader : {"Read", "Recall", "mcp__files__read_file"}) {
    CHECK(limit(reader, {.share = 0.1}, budget) == 40'000);
    CHECK(limit(reader, {.share = 0.9}, budget) == 40'000);
    CHECK(limit(reader, {.share = 0.9, .ranged = true}, budget) == 80'000);
  }
}

TEST_CASE("a snipLimit that was set holds from the start, unless snipRelaxed was set too") {
  Budget budget;
  const ToolResult result{.tool = "Bash"};
  const auto limit = [&](double share) { return snip_form(result, budget, {.share = share}).limit; };
  CHECK(limit(0.1) == 30'000);
  budget.config.snip_limit = 4'000;
  CHECK(limit(0.1) == 4'000);
  CHECK(limit(0.5) == 4'000);
  budget.config.snip_relaxed = 20'000;
  CHECK(limit(0.1) == 20'000);
  CHECK(limit(0.5) == 4'000);
}

TEST_CASE("no limit is below snipLimit, and the halves form rules alone") {
  Budget budget;
  budget.config.snip_limit = 50'000;
  CHECK(limit("Bash", {.share = 0.1}, budget) == 50'000);
  CHECK(limit("Read", {.share = 0.1}, budget) == 50'000);
  budget.config.snip_halves = true;
  CHECK(limit("Bash", {.share = 0.1}, budget) == 3'000);
  CHECK(limit("Read", {.share = 0.1, .ranged = true}, budget) == 3'000);
}

TEST_CASE("in a small window one result takes no more than about a twelfth of it") {
  Budget budget{.window = 70'000, .reserve = 10'000};
  CHECK(limit("Bash", {.share = 0.1}, budget) == 20'000);
  CHECK(limit("Read", {.share = 0.1}, budget) == 20'000);
  CHECK(limit("Read", {.share = 0.1, .ranged = true}, budget) == 40'000);
  budget.window = 33'000;
  budget.reserve = 3'000;
  CHECK(limit("Bash", {.share = 0.1}, budget) == 10'000);
  CHECK(limit("Read", {.share = 0.1, .ranged = true}, budget) == 20'000);
  budget.window = 8'000;
  CHECK(limit("Read", {.share = 0.1, .ranged = true}, budget) == 10'000);
}

TEST_CASE("the other form: the marker between two halves of a maximum") {
  const SnipForm form = halves();
  std::string words = "a";
  for (int i = 0; i < 1'666; ++i) words += " word" + std::string(1, static_cast<char>('a' + i % 26));
  const auto out = snip_text(words + "z", form, RecallId{9});
  CHECK(out.size() <= 3'000);
  CHECK(out.starts_with("a worda"));
  CHECK(out.ends_with("z"));
  CHECK(contains(out, " characters snipped \xC2\xB7 recall r9] ...\n\n"));
  const auto lines = snip_text(numbered(1, 1'000), form, RecallId{9});
  CHECK(contains(lines, "went well\n\n... ["));
  CHECK(contains(lines, " lines snipped (lines "));
  CHECK(contains("\n" + numbered(1, 1'000), "\n" + lines.substr(lines.find("...\n\n") + 5)));
  CHECK(describe(ToolResult{.tool = "Bash", .text = lines, .subject = "x", .form = ResultForm::snipped})
            .find("1,000 lines") != std::string::npos);
}

TEST_CASE("halves: cleaned first, within the limit, and nothing changes the second time") {
  std::string same = "begin\n";
  for (int i = 0; i < 1'000; ++i) same += "warning: the same thing again\n";
  CHECK(contains(snip_text(same, halves(), RecallId{17}), "[repeats collapsed: "));
  std::string huge;
  while (huge.size() < 32'000'000)
    huge += numbered(static_cast<int>(huge.size() / 29), static_cast<int>(huge.size() / 29) + 999);
  for (const std::string& text : {huge, std::string(30'000, 'x'), numbered(1, 1'000)}) {
    for (const std::size_t limit : {1, 10, 60, 119, 120, 121, 200, 3'000}) {
      const auto once = snip_text(text, halves(limit), RecallId{1'234'567});
      INFO(limit << ": " << once.substr(0, 200));
      if (limit >= 40) CHECK(count_characters(once) <= limit);
      CHECK(snip_text(once, halves(limit), RecallId{1'234'567}) == once);
    }
  }
}

TEST_CASE("items: results are snipped once, other blocks and source lines stay") {
  const Budget budget;
  auto item = *test::script("call 1 Bash make\nresult 1 20000 chars").items[1];
  const auto once = snip(item, budget);
  const auto& result = std::get<ToolResult>(once.blocks[0]);
  CHECK(result.form == ResultForm::snipped);
  CHECK(contains(result.text, "recall r1]"));
  CHECK(once.tokens == estimate(once));
  CHECK(snip(once, budget).blocks == once.blocks);
  auto file = *test::script("call 1 Read a.cpp\nresult 1 = int error;\\r\\nint x;").items[1];
  CHECK(snip(file, budget).blocks == file.blocks);
  auto colours = *test::script("call 1 Bash ls\nresult 1 = x").items[1];
  std::get<ToolResult>(colours.blocks[0]).text = "\x1b[31mred\x1b[0m";
  CHECK(std::get<ToolResult>(snip(colours, budget).blocks[0]).text == "red");
  CHECK(std::get<ToolResult>(snip(colours, budget).blocks[0]).form == ResultForm::full);
}

TEST_CASE(
    "a file over its limit keeps head and tail and an outline of what is cut, as read with line numbers") {
  std::string text;
  std::size_t line = 0;
  const auto add = [&](const std::string& code) { text += std::to_string(++line) + "\t" + code + "\n"; };
  for (int i = 0; text.size() < 45'000; ++i) {
    add("func step" + std::to_string(i) + "(n int) error {");
    for (int j = 0; j < 12; ++j) add("\tn = work(n, " + std::to_string(i * j) + ")");
    add("}");
  }
  Item item{.role = Role::user,
            .blocks = {ToolResult{.tool = "Read", .text = text, .subject = "steps.go", .recall = {7}}}};
  const auto entered = std::get<ToolResult>(snip(item, {}).blocks[0]);
  const auto& out = entered.text;
  REQUIRE(entered.form == ResultForm::snipped);
  CHECK(out.size() < 40'000);
  CHECK(out.size() > 30'000);
  CHECK(contains(out, " \xC2\xB7 recall r7]\n[outline of these lines, "));
  const auto marker = out.find("[\xE2\x80\xA6 "), end = out.rfind('\t', text.size());
  REQUIRE(end != out.npos);
  CHECK(text.starts_with(out.substr(0, marker)));
  std::size_t functions = 0;
  for (int i = 0; contains(text, "func step" + std::to_string(i) + "("); ++i) {
    const auto name = "\tfunc step" + std::to_string(i) + "(";
    const auto at = text.find(name), line_start = text.rfind('\n', at) + 1;
    functions += contains(out, "\n" + text.substr(line_start, at - line_start) + name) || line_start == 0;
    CHECK(contains(out, name));
  }
  CHECK(functions > 80);
  CHECK(describe(entered).find(std::to_string(line / 1'000) + "," +
                               std::to_string(1'000 + line % 1'000).substr(1) + " lines Go") !=
        std::string::npos);
}
