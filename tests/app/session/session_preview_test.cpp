#include "app/session/session_preview.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/store_folder.h"

using namespace tern;

namespace {
ItemPtr spoken(std::uint64_t id, Role role, std::string text) {
  Item item;
  item.id = {id};
  item.role = role;
  item.blocks = {Text{std::move(text)}};
  return make_item(std::move(item));
}
}  // namespace

TEST_CASE("how another session ended can be read while this one stays open") {
  const test::StoreFolder folder;
  const auto store = folder.store();
  const std::string first = store->create({}).id;
  store->append(spoken(1, Role::user, "Why does the tokenizer stop?\nSecond line."));
  store->append(spoken(2, Role::assistant, "It never sees the **last** line."));
  const std::string second = store->create({}).id;
  const Page page = session_preview(folder.path, first);
  CHECK(page.text.find("### Why does the tokenizer stop?\n") != page.text.npos);
  CHECK(page.text.find("Second line") == page.text.npos);
  CHECK(page.text.find("It never sees the **last** line.") != page.text.npos);
  CHECK(page.form == Page::Form::markdown);
  CHECK(store->session() == second);
  CHECK(session_preview(folder.path, "nosuch").text.find("nosuch") != std::string::npos);
}
