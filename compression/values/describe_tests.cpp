// What a test run came to: counts and the names of what failed, as the runners of a dozen languages print
// them.
#include <algorithm>
#include <array>
#include <optional>

#include "compression/text/lines.h"
#include "compression/text/plain_text.h"
#include "compression/text/utf8.h"
#include "compression/values/describe.h"

namespace tern {

namespace {

constexpr std::size_t shown_names = 5, line_bytes = 120;

using Count = std::optional<std::size_t>;

// "12 passed": the number before the word, nearest to the end of the line.
Count number_before(std::string_view line, std::string_view word) {
  for (auto at = line.rfind(word); at != line.npos && at > 0; at = line.rfind(word, at - 1)) {
    std::size_t end = at;
    while (end > 0 && (line[end - 1] == ' ' || line[end - 1] == ',')) --end;
    std::size_t start = end;
    while (start > 0 && is_digit(line[start - 1])) --start;
    if (start < end && end - start < 10) return std::stoul(std::string(line.substr(start, end - start)));
  }
  return std::nullopt;
}
Count number_after(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  if (at == line.npos) return std::nullopt;
  auto rest = trimmed(line.substr(at + word.size()));
  std::size_t n = 0;
  while (n < rest.size() && is_digit(rest[n])) ++n;
  if (n == 0 || n > 9) return std::nullopt;
  return std::stoul(std::string(rest.substr(0, n)));
}

// --- counts
// ----------------------------------------------------------------------------------------------------

struct Run {
  std::size_t run = 0, failed = 0, skipped = 0;
};

class TestCounts {
 public:
  void line(std::string_view line) {
    const auto text = trimmed(line);
    if (about_something_else(text)) return;
    if (contains(text, "test result:"))
      return add(number_before(text, "passed"), number_before(text, "failed"),
                 number_before(text, "ignored"));
    if (contains(text, "Tests run:")) return maven(text);
    if (contains(text, "Failed:") && contains(text, "Passed:") && contains(text, "Total:"))
      return add(number_after(text, "Passed:"), number_after(text, "Failed:"),
                 number_after(text, "Skipped:"));
    if (summed_up(text)) return;
    note(passed_, number_before(text, "passed"));
    note(failed_, number_before(text, "failed"));
    note(skipped_, number_before(text, "skipped"));
    if (passed_ || failed_) note(errors_, number_before(text, "error"));
  }

  // In the order they are shown; `names` stands for the failures of a run that does not count them.
  std::string told(std::size_t packages, std::size_t names) {
    if (reactor_)
      total(reactor_->run, reactor_->failed, reactor_->skipped);
    else if (classes_)
      total(classes_->run, classes_->failed, classes_->skipped);
    if (!failed_ && names > 0) failed_ = names;
    std::string out;
    const auto add_to = [&](Count n, std::string_view word) {
      if (n && (*n > 0 || word == "failed"))
        out.append(out.empty() ? "" : ", ").append(grouped(*n)).append(" ").append(word);
    };
    add_to(passed_, "passed");
    if (packages > 0) add_to(packages, packages == 1 ? "package ok" : "packages ok");
    add_to(failed_, "failed");
    add_to(errors_, "errors");
    add_to(skipped_, "skipped");
    return out;
  }

  bool any() const { return passed_ || failed_ || reactor_ || classes_; }

 private:
  // Assertions, files and suites are no tests.
  static bool about_something_else(std::string_view text) {
    take(text, "[doctest] ");
    for (const std::string_view head : {"assertions:", "Test Suites:", "Snapshots:", "Test Files"}) {
      if (text.starts_with(head)) return true;
    }
    return false;
  }

  static void note(Count& where, Count what) {
    if (what) where = what;
  }
  static void sum(Count& where, Count what) {
    if (what) where = where.value_or(0) + *what;
  }
  void add(Count passed, Count failed, Count skipped) {
    sum(passed_, passed);
    sum(failed_, failed);
    sum(skipped_, skipped);
  }
  void total(Count run, std::size_t failed, std::size_t skipped) {
    const std::size_t rest = failed + skipped;
    if (run) passed_ = *run - std::min(rest, *run);
    failed_ = failed;
    skipped_ = skipped;
  }

  // Lines of classes say how long they took; a module's own line says it once more for all of them.
  void maven(std::string_view text) {
    auto& where = contains(text, "Time elapsed") ? classes_ : reactor_;
    if (!where) where.emplace();
    where->run += number_after(text, "Tests run:").value_or(0);
    where->failed += number_after(text, "Failures:").value_or(0) + number_after(text, "Errors:").value_or(0);
    where->skipped += number_after(text, "Skipped:").value_or(0);
  }

  // One line that sums up the whole run; the last of them counts.
  bool summed_up(std::string_view text) {
    const auto of = [&](std::string_view word) { return number_after(text, word).value_or(0); };
    const auto before = [&](std::string_view word) { return number_before(text, word); };
    if (const auto cases = before("test case"); cases && contains(text, "All tests passed"))  // Catch2
      return total(cases, 0, 0), true;
    if (const auto tests = number_after(text, "failed out of"))  // ctest
      return total(tests, before("tests failed").value_or(0), 0), true;
    if (text.starts_with("Tests: ") && contains(text, "Assertions:"))  // phpunit
      return total(of("Tests:"), of("Failures:") + of("Errors:"), of("Skipped:") + of("Incomplete:")), true;
    if (text.starts_with("OK (") && contains(text, "assertion")) return total(before("test"), 0, 0), true;
    if (const auto examples = before("example"); examples && contains(text, "failure"))  // rspec
      return total(examples, before("failure").value_or(0), before("pending").value_or(0)), true;
    if (const auto all = before("tests completed"))  // gradle
      return total(all, before("failed").value_or(0), before("skipped").value_or(0)), true;
    return of_several_lines(text);
  }

  // Runners that give each figure a line of its own.
  bool of_several_lines(std::string_view text) {
    if (take(text, "[  PASSED  ] ")) return note(passed_, number_before(text, "test")), true;  // gtest
    if (take(text, "[  FAILED  ] ")) return note(failed_, number_before(text, " test")), true;
    if (text.starts_with("Ran ")) return note(ran_, number_before(text, "test")), true;  // unittest
    if (ran_ && (text.starts_with("FAILED (") || text == "OK" || text.starts_with("OK (")))
      return total(ran_,
                   number_after(text, "failures=").value_or(0) + number_after(text, "errors=").value_or(0),
                   number_after(text, "skipped=").value_or(0)),
             true;
    if (!text.empty() && is_digit(text.front())) {  // mocha
      static constexpr std::string_view words[] = {" passing", " failing", " pending"};
      Count* const figures[] = {&passed_, &failed_, &skipped_};
      for (std::size_t i = 0; i < 3; ++i) {
        const auto word = text.substr(std::min(text.find(' '), text.size()));
        if (word == words[i] || (word.starts_with(words[i]) && word[words[i].size()] == ' '))
          return note(*figures[i], number_before(text, words[i])), true;
      }
    }
    for (const std::string_view mark : {"# ", "\xE2\x84\xB9 "}) {  // TAP
      if (!take(text, mark)) continue;
      if (text.starts_with("pass ")) return note(passed_, number_after(text, "pass")), true;
      if (text.starts_with("fail ")) return note(failed_, number_after(text, "fail")), true;
    }
    return false;
  }

  Count passed_, failed_, skipped_, errors_, ran_;
  std::optional<Run> classes_, reactor_;
};

// --- names
// ----------------------------------------------------------------------------------------------------

constexpr std::string_view failing_openings[] = {
    "FAILED ",       "--- FAIL: ",    "FAIL: ",        "[  FAILED  ] ", "\xE2\x9C\x95 ",
    "\xE2\x9C\x97 ", "\xE2\x9C\x98 ", "\xE2\x97\x8F ", "\xC3\x97 "};

std::string_view up_to(std::string_view text, std::initializer_list<std::string_view> ends) {
  for (const auto end : ends) text = text.substr(0, text.find(end));
  return trimmed(text);
}

// "name 3ms" without its time.
std::string_view untimed(std::string_view name) {
  const auto blank = name.rfind(' ');
  const auto last = blank == name.npos ? std::string_view() : name.substr(blank + 1);
  const bool time =
      last.size() > 2 && last.ends_with("ms") && last.find_first_not_of("0123456789.") == last.size() - 2;
  return time ? name.substr(0, blank) : name;
}

bool starts_with_digit(std::string_view text) { return !text.empty() && is_digit(text.front()); }

// What is named by its place in the line rather than by its opening.
std::string_view named_in_place(std::string_view line) {
  if (line.starts_with("test ") && line.ends_with("... FAILED"))
    return trimmed(line.substr(5, line.size() - 15));
  if (const auto stars = line.find("***"); stars != line.npos && contains(line, " Test ")) {  // ctest
    const auto colon = line.find(": ");
    const auto name = trimmed(colon == line.npos || colon > stars ? line : line.substr(colon + 2));
    return name.substr(0, name.find(' '));
  }
  if (line.ends_with("<<< FAILURE!") || line.ends_with("<<< ERROR!")) {  // maven
    take(line, "[ERROR] ");
    return contains(line, "Tests run:") ? std::string_view()
                                        : up_to(line, {" -- Time", "  Time elapsed", "(", " <<<"});
  }
  if (line.ends_with(" FAILED") && contains(line, " > ")) return line.substr(0, line.size() - 7);  // gradle
  if (const auto at = line.find(" FAILED  ");
      at != line.npos && contains(line.substr(0, at), "::"))  // pytest -v
    return line.substr(0, at);
  if (line.starts_with("Failed ") && line.ends_with("]")) return up_to(line.substr(7), {" ["});  // dotnet
  if (line.starts_with("ERROR: ") && line.ends_with(")")) {                                      // unittest
    const auto name = line.substr(7);
    return leading_name(name).size() == name.find(" (") ? up_to(name, {" ("}) : std::string_view();
  }
  if (line.starts_with("rspec ./")) return trimmed(line.substr(std::min(line.find("# ") + 2, line.size())));
  return {};
}

// The test that a line says has failed; empty when it says nothing of the kind.
std::string_view failing_test(std::string_view line) {
  if (auto rest = line; take(rest, "not ok ")) {  // TAP
    const auto dash = rest.find("- ");
    return trimmed(dash == rest.npos ? rest : rest.substr(dash + 2));
  }
  for (const auto opening : failing_openings) {
    auto name = line;
    if (!take(name, opening)) continue;
    name = untimed(up_to(name, {" - ", " (", ", where "}));
    const bool count = opening == "[  FAILED  ] " && starts_with_digit(name);  // "2 tests, listed below:"
    return count || name.starts_with("(") || name == "Console" ? std::string_view() : name;
  }
  return named_in_place(line);
}

class FailingTests {
 public:
  void line(std::string_view whole) {
    const auto line = trimmed(whole);
    add(tests_, failing_test(line));
    if (auto rest = line; take(rest, "FAIL ")) {  // a file, or a test with its file before it
      if (rest.starts_with("[")) rest = trimmed(rest.substr(std::min(rest.find(']') + 1, rest.size())));
      add(contains(rest, " > ") || contains(rest, " ") ? tests_ : files_, up_to(rest, {" ("}));
    }
    numbered(line);
    banner(line);
  }

  // Where no test is named, the files that failed.
  std::vector<std::string_view> names() && {
    if (tests_.empty()) return std::move(files_);
    const auto all = tests_;
    std::erase_if(tests_, [&](std::string_view name) {  // told once more with its suite
      return std::any_of(all.begin(), all.end(), [&](std::string_view other) {
        if (other.size() <= name.size() || !other.ends_with(name)) return false;
        const auto before = other.substr(0, other.size() - name.size());
        return before.ends_with(" \xE2\x80\xBA ") || before.ends_with(" > ");
      });
    });
    return std::move(tests_);
  }

 private:
  static void add(std::vector<std::string_view>& names, std::string_view name) {
    add_once(names, name.substr(0, utf8_floor(name, line_bytes)));
  }

  // "1) name": of mocha where the tree has it or, without a tree, in the list; of phpunit where it is a
  // method.
  void numbered(std::string_view line) {
    if (!starts_with_digit(line)) return;
    const auto digits = line.find_first_not_of("0123456789");
    auto rest = line.substr(std::min(digits, line.size()));
    if (rest == " failing") {
      listing_ = tree_.empty();
      for (const auto name : tree_) add(tests_, name);
    } else if (take(rest, ") ")) {
      const bool method = contains(rest, "::") && !contains(rest, " ");
      if (method || listing_)
        add(tests_, rest);
      else
        add(tree_, rest);
    }
  }

  // Catch2 writes a case's name between two lines of dashes, and below it what failed.
  void banner(std::string_view line) {
    constexpr std::size_t width = 70;
    if (line.size() >= width && line.find_first_not_of('-') == line.npos) {
      if (open_ = !open_; open_) case_ = {};
    } else if (open_ && case_.empty()) {
      case_ = line;
    } else if (!open_ && line.ends_with(": FAILED:")) {
      add(tests_, case_);
    }
  }

  std::vector<std::string_view> tests_, files_, tree_;
  std::string_view case_;
  bool listing_ = false, open_ = false;
};

}  // namespace

std::string describe_tests(std::string_view text) {
  TestCounts counts;
  FailingTests failing;
  std::size_t go_packages = 0;
  each_line_of(text, [&](std::string_view line) {
    counts.line(line);
    failing.line(line);
    go_packages += line.starts_with("ok  \t");
  });
  const auto names = std::move(failing).names();
  if (!counts.any() && names.empty() && go_packages == 0) return {};
  const auto out = counts.told(go_packages, names.size());
  return names.empty() ? out : out + ": " + joined(names, shown_names);
}

}  // namespace tern
