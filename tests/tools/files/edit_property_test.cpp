// Edit against the simplest thing it could be: find, count, replace. Random texts over a small alphabet, so
// that most old strings match, often more than once, and the ones that do not are near to something.
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>
#include <vector>

#include "tools/files/edit_match.h"

using namespace tern;

namespace {

std::mt19937 dice(20261118);

std::string random_text(std::size_t pieces) {
  static const std::vector<std::string> alphabet = {"a",  "b", "ab", " ", "  ", "\t", "\n",
                                                    "\n", "é", "中", "{", "}",  "\"", "x = 1;"};
  std::string text;
  for (std::size_t i = 0; i < pieces; ++i) text += alphabet[dice() % alphabet.size()];
  return text;
}

// A piece of `text` on character boundaries, as a model would quote it.
std::string piece_of(const std::string& text) {
  const auto inside = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  std::size_t begin = dice() % text.size(), end = std::min(text.size(), begin + 1 + dice() % 12);
  while (inside(begin)) --begin;
  while (inside(end)) ++end;
  return text.substr(begin, end - begin);
}

struct Naive {
  std::size_t matches = 0;
  std::string replaced;
};

Naive naive_replace(const std::string& text, const std::string& wanted, const std::string& fresh) {
  Naive out;
  std::size_t from = 0;
  for (std::size_t at; (at = text.find(wanted, from)) != text.npos; from = at + wanted.size(), ++out.matches)
    out.replaced += text.substr(from, at - from) + fresh;
  out.replaced += text.substr(from);
  return out;
}

std::string with_crlf(const std::string& text) { return naive_replace(text, "\n", "\r\n").replaced; }

void compare(const std::string& file, const EditRequest& request, const Naive& expected) {
  const auto got = apply_edit(file, request);
  if (expected.matches == 1 || request.all) {
    CHECK(got.error.empty());
    CHECK(got.bytes == expected.replaced);
    CHECK(got.lines.size() == expected.matches);
  } else {
    CHECK(got.error.find("Found " + std::to_string(expected.matches) + " matches") == 0);
    CHECK(got.bytes.empty());
  }
  CHECK(got.ignoring.empty());
}

std::vector<std::string> lines_with_ends(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0, end; at < text.size(); at = end) {
    end = text.find('\n', at);
    end = end == text.npos ? text.size() : end + 1;
    lines.push_back(text.substr(at, end - at));
  }
  return lines;
}

// What was matched with something ignored: the lines before it and those after it are still the file's own.
void only_the_place_changed(const std::string& file, const EditRequest& request, const EditOutcome& got) {
  REQUIRE(got.lines.size() == 1);
  const auto lines = lines_with_ends(file);
  std::string before, after;
  const std::size_t first = got.lines[0] - 1, height = lines_with_ends(request.old_text).size() + 1;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (i < first)
      before += lines[i];
    else if (i >= first + height)
      after += lines[i];
  CHECK(got.bytes.compare(0, before.size(), before) == 0);
  REQUIRE(got.bytes.size() >= after.size());
  CHECK(got.bytes.compare(got.bytes.size() - after.size(), after.size(), after) == 0);
}

}  // namespace

TEST_CASE("an exact edit is find and replace, with \\n and with \\r\\n") {
  for (int round = 0; round < 3000; ++round) {
    const auto text = random_text(3 + dice() % 60);
    const EditRequest request{piece_of(text), random_text(dice() % 8), dice() % 3 == 0, false};
    if (request.old_text == request.new_text) continue;
    const auto expected = naive_replace(text, request.old_text, request.new_text);
    INFO("round " << round << "\n"
                  << text << "\n--- old\n"
                  << request.old_text << "\n--- new\n"
                  << request.new_text);
    compare(text, request, expected);
    if (text.find('\n') == text.npos) continue;
    compare(with_crlf(text), request, {expected.matches, with_crlf(expected.replaced)});
  }
}

TEST_CASE("what is not there exactly is refused, or changes nothing outside its place") {
  int refused = 0, matched = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto text = random_text(10 + dice() % 60);
    auto wanted = piece_of(text);
    wanted.insert(dice() % (wanted.size() + 1), 1, " \t'z"[dice() % 4]);
    const EditRequest request{wanted, random_text(1 + dice() % 8), false, false};
    if (text.find(wanted) != text.npos || request.old_text == request.new_text) continue;
    INFO("round " << round << "\n"
                  << text << "\n--- old\n"
                  << request.old_text << "\n--- new\n"
                  << request.new_text);
    const auto got = apply_edit(text, request);
    if (!got.error.empty()) {
      CHECK(got.bytes.empty());
      ++refused;
      continue;
    }
    CHECK_FALSE(got.ignoring.empty());
    only_the_place_changed(text, request, got);
    ++matched;
  }
  CHECK(refused > 100);
  CHECK(matched > 20);
}

namespace {

std::string code_text(std::size_t lines, const std::string& unit) {
  static const std::vector<std::string> bodies = {"a();", "if (x) {", "}", "b = \"q\";", "",
                                                  "* c",  "é",        "`", "d \\"};
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    for (std::size_t deep = dice() % 4; deep > 0; --deep) text += unit;
    text += bodies[dice() % (dice() % 4 == 0 ? bodies.size() : 5)] + "\n";
  }
  return text;
}

// Each line without the blanks it begins with.
std::string unindented(const std::string& text) {
  std::string out;
  for (const auto& line : lines_with_ends(text))
    out += line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
  return out;
}

}  // namespace

TEST_CASE("taking the unit of the file changes blanks at the start of new lines, and nothing else ever") {
  int changed = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::string units[] = {"\t", "  ", "    "};
    const auto text = code_text(3 + dice() % 12, units[dice() % 3]);
    EditRequest request{piece_of(text), code_text(1 + dice() % 4, units[dice() % 3]), false, false};
    const auto expected = apply_edit(text, request);
    if (!expected.error.empty()) continue;
    request.take_unit = true;
    const auto got = apply_edit(text, request);
    INFO("round " << round << "\n"
                  << text << "\n--- old\n"
                  << request.old_text << "\n--- new\n"
                  << request.new_text);
    const std::size_t begin = text.find(request.old_text),
                      after = text.size() - begin - request.old_text.size();
    REQUIRE(got.bytes.size() >= begin + after);
    CHECK(got.bytes.substr(0, begin) == text.substr(0, begin));
    CHECK(got.bytes.substr(got.bytes.size() - after) == text.substr(text.size() - after));
    const auto middle = got.bytes.substr(begin, got.bytes.size() - begin - after);
    CHECK(unindented(middle) == unindented(request.new_text));
    CHECK(got.indented.empty() == (got.bytes == expected.bytes));
    changed += !got.indented.empty();
  }
  CHECK(changed > 100);
}
