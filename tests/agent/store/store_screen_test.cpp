#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "agent/protocol/shell_note.h"
#include "compression/values/tokens.h"
#include "tests/support/store_folder.h"

using namespace tern;

namespace {

using Folder = test::StoreFolder;

std::string output(int lines) {
  std::string text;
  for (int n = 1; n <= lines; ++n) text += "line " + std::to_string(n) + " of the build — é\n";
  return text + "error: the last line says why\n";
}

// What a session shows again of one call that gave this text.
std::string shown_again(const std::string& text, RecallId recall, const ScreenOptions& options = {}) {
  Folder folder;
  auto store = folder.store();
  store->create({});
  Item call;
  call.id = {1}, call.role = Role::assistant;
  call.blocks.push_back(ToolCall{.id = "c1", .name = "Bash", .arguments = "{}", .signature = {}});
  store->append(make_item(std::move(call)));
  Item item;
  item.id = {2}, item.role = Role::user;
  ToolResult result;
  result.call_id = "c1", result.tool = "Bash", result.text = text, result.recall = recall;
  item.blocks.push_back(std::move(result));
  store->append(make_item(std::move(item)));
  for (const Event& event : store->screen(options))
    if (const auto* cell = std::get_if<ToolFinished>(&event)) return cell->text;
  return "no cell";
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("a long result is shown again with both its ends, whole lines, and where the rest is") {
  const auto text = output(2'000);
  for (const std::size_t bytes : {std::size_t{4'096}, std::size_t{400}}) {
    const auto shown = shown_again(text, {12}, {.tool_text = bytes});
    INFO(shown);
    CHECK(shown.starts_with("line 1 of the build — é\n"));
    CHECK(shown.ends_with("\nerror: the last line says why\n"));
    const auto mark = shown.find("\n[… ");
    REQUIRE(mark != shown.npos);
    const auto end = shown.find('\n', mark + 1);
    CHECK(has(shown.substr(mark, end - mark), " characters not shown here: /recall r12]"));
    CHECK(has(shown.substr(mark, end - mark), ","));
    CHECK(shown[mark - 1] == '\xa9');                   // the line before the mark is whole
    CHECK(shown.substr(end + 1).starts_with("line "));  // and the one after it
    CHECK(shown.size() < text.size() / 2);
  }
}

TEST_CASE("one long line is cut between characters, and without an original no id is promised") {
  std::string text;
  for (int n = 0; n < 5'000; ++n) text += "界";
  const auto shown = shown_again(text, {});
  CHECK(shown.starts_with("界界"));
  CHECK(shown.ends_with("界界"));
  const auto mark = shown.find("[… ");
  REQUIRE(mark != shown.npos);
  CHECK((mark - 1) % 3 == 0);
  const auto end = shown.find("]\n");
  CHECK(shown.substr(end - 26, 27) == " characters not shown here]");
  CHECK((shown.size() - end - 2) % 3 == 0);
  CHECK(shown_again("short\n", {3}) == "short\n");
}

TEST_CASE("the output of a person's own command names its original when it is shortened again") {
  Folder folder;
  auto store = folder.store();
  store->create({});
  const auto half = output(150);
  Item item;
  item.id = {1}, item.role = Role::user, item.synthetic = true;
  item.blocks.push_back(Text{shell_note("make", half + "\n[… r7 holds all of it …]\n" + half)});
  store->append(make_item(std::move(item)));
  std::string shown;
  for (const Event& event : store->screen())
    if (const auto* cell = std::get_if<ToolFinished>(&event)) shown = cell->text;
  CHECK(has(shown, "characters not shown here: /recall r7]"));
  CHECK(shown.ends_with("error: the last line says why\n"));
}

TEST_CASE("a result that the model got shortened is shown again as it was shown when it came") {
  Folder folder;
  auto store = folder.store();
  store->create({});
  Item call;
  call.id = {1}, call.role = Role::assistant;
  call.blocks.push_back(ToolCall{.id = "c1", .name = "Bash", .arguments = "{}", .signature = {}});
  store->append(make_item(std::move(call)));
  const RecallId original = store->put_original("one\ntwo\nthree\n", "Bash", "count");
  Item item;
  item.id = {2}, item.role = Role::user;
  ToolResult result;
  result.call_id = "c1", result.tool = "Bash", result.recall = original, result.form = ResultForm::snipped;
  result.text = "one\n[… 2 lines like these · recall r1]";
  item.blocks.push_back(std::move(result));
  store->append(make_item(std::move(item)));
  std::string shown;
  for (const Event& event : store->screen())
    if (const auto* cell = std::get_if<ToolFinished>(&event)) shown = cell->text;
  CHECK(shown == "one\ntwo\nthree\n");
}
