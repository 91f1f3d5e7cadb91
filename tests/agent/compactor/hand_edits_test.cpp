// A person's hand on single items: drop, fold, bring back; one undo each, byte for byte, also after a kill.
#include "agent/compactor/hand_edits.h"

#include <catch2/catch_test_macros.hpp>

#include "agent/compactor/compactor.h"
#include "compression/values/describe.h"
#include "tests/agent/turn/long_work.h"
#include "tests/support/script.h"
#include "tests/support/temp_dir.h"

using namespace tern;
using test::phases;
using test::Rig;
using test::work;
using What = EditContext::What;

namespace {

std::string whole_text(const Conversation& conversation) { return test::to_script(conversation, SIZE_MAX); }

// The ids of the results that stand whole, oldest first.
std::vector<std::string> results(const Rig& rig) {
  std::vector<std::string> ids;
  for (const auto& unit : hand_units(rig.context.conversation))
    if (unit.result && !unit.shortened) ids.push_back(unit.id);
  return ids;
}

std::string answer_id(const Rig& rig) {
  for (const auto& unit : hand_units(rig.context.conversation))
    if (unit.kind == "answer") return unit.id;
  return {};
}

bool names(const ListShown& list, const std::string& id, const std::string& note) {
  return std::any_of(list.rows.begin(), list.rows.end(), [&](const ListRow& row) {
    return row.id == id && row.note.find(note) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("what is dropped by hand leaves with its call, and one undo brings all of it back byte for byte") {
  test::TempDir folder;
  Rig rig(200'000, folder.path());
  work(rig, 4);
  const auto before = whole_text(rig.context.conversation);
  const auto used = used_of(rig.context);
  const auto ids = results(rig);
  REQUIRE(ids.size() == 4);
  rig.compactor.edit(rig.context, {What::drop, {ids[0], ids[2], answer_id(rig)}});
  CHECK(used_of(rig.context) < used / 3 * 2);
  CHECK(check(rig.context.conversation).empty());
  CHECK(results(rig) == std::vector{ids[1], ids[3]});
  const auto event = phases(rig, CompactionPhase::completed).back();
  CHECK(event.cause == Cause::dropped);
  CHECK(event.before - event.after == used - used_of(rig.context));
  CHECK(rig.store->text(parse_recall_id(ids[0])));
  CHECK(whole_text(rig.store->conversation()) ==
        whole_text(rig.context.conversation));  // as a restart after a kill would find it

  rig.compactor.undo(rig.context, {1, {}});
  CHECK(whole_text(rig.context.conversation) == before);
  CHECK(whole_text(rig.store->conversation()) == before);
  CHECK(used_of(rig.context) == used);
  rig.compactor.undo(rig.context, {-1, {}});
  CHECK(results(rig) == std::vector{ids[1], ids[3]});
}

TEST_CASE("one of several that were dropped comes back to its place, and that is undone too") {
  Rig rig;
  work(rig, 4);
  const auto ids = results(rig);
  rig.compactor.edit(rig.context, {What::drop, {ids[0]}});
  const auto without_first = whole_text(rig.context.conversation);
  rig.compactor.edit(rig.context, {What::drop, {ids[1], ids[2]}});
  const auto without_three = whole_text(rig.context.conversation);
  CHECK(names(context_items(rig.context, *rig.store), ids[1], "dropped"));
  rig.compactor.edit(rig.context, {What::back, {ids[2], ids[1]}});
  CHECK(whole_text(rig.context.conversation) == without_first);
  CHECK(whole_text(rig.store->conversation()) == without_first);
  CHECK_FALSE(names(context_items(rig.context, *rig.store), ids[1], "dropped"));
  rig.compactor.undo(rig.context, {1, {}});
  CHECK(whole_text(rig.context.conversation) == without_three);
  CHECK(names(context_items(rig.context, *rig.store), ids[1], "dropped"));
}

TEST_CASE("what is folded is a line, and comes back whole where it stands") {
  Rig rig;
  work(rig, 3);
  const auto before = whole_text(rig.context.conversation);
  const auto ids = results(rig);
  const auto answer = answer_id(rig);
  rig.compactor.edit(rig.context, {What::fold, {ids[1], answer}});
  const auto folded = whole_text(rig.context.conversation);
  CHECK(folded.size() < before.size());
  CHECK(results(rig) == std::vector{ids[0], ids[2]});
  CHECK(folded.find("folded by the user · recall " + answer) != std::string::npos);
  CHECK(names(context_items(rig.context, *rig.store), ids[1], "shortened"));
  rig.compactor.edit(rig.context, {What::fold, {ids[1], answer}});
  CHECK(rig.seen<Notice>().back().text ==
        "Nothing changes: " + ids[1] + ", " + answer + " are already that short.");
  rig.compactor.edit(rig.context, {What::fold, {answer}});
  CHECK(rig.seen<Notice>().back().text == "Nothing changes: " + answer + " is already that short.");
  CHECK(rig.seen<Notice>().back().text.find("Nothing changes: ") == 0);
  rig.compactor.edit(rig.context, {What::back, {answer, ids[1]}});
  CHECK(whole_text(rig.context.conversation) == before);
  rig.compactor.undo(rig.context, {1, {}});
  CHECK(whole_text(rig.context.conversation) == folded);
  rig.compactor.undo(rig.context, {1, {}});
  CHECK(whole_text(rig.context.conversation) == before);
}

TEST_CASE("what is folded, dropped and brought back is as it was before it was dropped") {
  Rig rig;
  work(rig, 3);
  const auto id = results(rig)[1];
  rig.compactor.edit(rig.context, {What::fold, {id}});
  const auto folded = whole_text(rig.context.conversation);
  rig.compactor.edit(rig.context, {What::drop, {id}});
  rig.compactor.edit(rig.context, {What::back, {id}});
  CHECK(whole_text(rig.context.conversation) == folded);
  CHECK(whole_text(rig.store->conversation()) == folded);
}

TEST_CASE("a pin is not dropped, and an unknown name says where names are") {
  Rig rig;
  work(rig, 2);
  const auto ids = results(rig);
  rig.compactor.pin(rig.context, {ids[0], true});
  const auto before = whole_text(rig.context.conversation);
  rig.compactor.edit(rig.context, {What::drop, {ids[0], "r999"}});
  CHECK(whole_text(rig.context.conversation) == before);
  const auto notices = rig.seen<Notice>();
  CHECK(notices[notices.size() - 2].text == ids[0] + " is pinned: /unpin " + ids[0] + " first.");
  CHECK(notices.back().text.find("r999") != std::string::npos);
  rig.compactor.edit(rig.context, {What::back, {ids[1]}});
  CHECK(rig.seen<Notice>().back().text == ids[1] + " is in the context, unchanged.");
  rig.compactor.edit(rig.context, {What::back, {"r999"}});
  CHECK(rig.seen<Notice>().back().text == "There is no r999.");
}

TEST_CASE("the turn goes on after a hand edit, and the request is whole") {
  Rig rig;
  work(rig, 2);
  std::vector<std::string> all;
  for (const auto& unit : hand_units(rig.context.conversation)) all.push_back(unit.id);
  rig.compactor.edit(rig.context, {What::drop, all});
  work(rig, 1, 100, 10);
  CHECK(rig.bad_request() == "");
}
