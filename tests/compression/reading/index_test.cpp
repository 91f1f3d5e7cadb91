#include "compression/reading/index.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "compression/reading/loss_audit.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"

using namespace tern;
using test::script;

namespace {

const char* const index_world = R"(
  user Fix parseConfig. Never touch the public API!
  call 1 Read src/core/parser.cpp
  result 1 = int parseConfig() {\nreturn 0;\n}
  call 2 Bash make test
  error 2 = parser.cpp:42: error: expected a semicolon
  assistant parseConfig needs a semicolon and 512 MB, see https://example.org/grammar
)";

std::vector<std::string> texts(FactKind kind) {
  std::vector<std::string> found;
  for (const auto& fact : facts_of(script(index_world))) {
    if (fact.kind == kind) found.push_back(fact.text);
  }
  return found;
}
using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("every kind of specific is found") {
  CHECK(texts(FactKind::rule) == Texts{"Never touch the public API!"});
  CHECK(texts(FactKind::file).front() == "src/core/parser.cpp");
  CHECK(texts(FactKind::command) == Texts{"make test"});
  CHECK(texts(FactKind::error) == Texts{"parser.cpp:42: error: expected a semicolon"});
  CHECK(texts(FactKind::ident) == Texts{"parseConfig"});
  CHECK(texts(FactKind::place) == Texts{"parser.cpp:42"});
  CHECK(texts(FactKind::url) == Texts{"https://example.org/grammar"});
}

TEST_CASE("a fact carries the recall id of its newest original") {
  for (const auto& fact : facts_of(script(index_world))) {
    if (fact.kind == FactKind::command) CHECK(fact.recall == RecallId{2});
    if (fact.kind == FactKind::file && fact.text == "src/core/parser.cpp") CHECK(fact.recall == RecallId{1});
  }
}

TEST_CASE("the index names kinds and ids and keeps its budget") {
  const auto all = index_of(script(index_world), 1'000);
  CHECK(all.find("Demands of the user:\n- Never touch the public API!") != std::string::npos);
  CHECK(all.find("make test r2") != std::string::npos);
  CHECK(all.find("Numbers: ") != std::string::npos);
  for (const Tokens budget : {0, 10, 40, 80})
    CHECK(estimate(index_of(script(index_world), budget)) <= budget + 2);
  CHECK(index_of({}, 100).empty());
}

TEST_CASE("what is written and recent comes first") {
  std::string text = "user Look\n";
  for (int i = 1; i <= 30; ++i)
    text += "call " + std::to_string(i) + " Read src/dir/f" + std::to_string(i) + ".cpp\nresult " +
            std::to_string(i) + " = ok\n";
  const auto facts = facts_of(script(text));
  CHECK(facts.front().text == "src/dir/f30.cpp");
}

TEST_CASE("the audit tells kept, reachable and dropped apart") {
  const auto before = script(index_world);
  auto after = before;
  after.items.erase(after.items.begin() + 3, after.items.begin() + 5);
  const auto report = audit(before, after);
  CHECK(report.kept > 0);
  CHECK(report.reachable > 0);
  CHECK(report.lost.size() == report.reachable + report.dropped);
  bool error = false;
  for (const auto& [fate, fact] : report.lost)
    error = error || (fact.kind == FactKind::error && fate == Fate::reachable);
  CHECK(error);
  CHECK(audit(before, before).lost.empty());
  CHECK(audit(before, before).line().ends_with(", 0 on recall, none lost"));
}

TEST_CASE("paths count as they are spelled, and numbers, versions and commits are specifics, too") {
  const auto before = script(R"(
  user Look into the crash
  assistant It is /etc/opt/alpha/beta/gamma.conf; see issue #48123, version 2.4.7, commit deadbeef1234567, port 59417
  call 1 Bash ls
  result 1 = src/core/one.cpp\nsrc/core/two.cpp\n7654321 fix it
)");
  const auto after =
      script("  user Look into the crash\n  summary 1-2 It is about beta/gamma.conf, port 59417\n");
  const auto report = audit(before, after);
  std::vector<std::string> lost;
  for (const auto& [fate, fact] : report.lost) lost.push_back(fact.text);
  for (const char* gone :
       {"/etc/opt/alpha/beta/gamma.conf", "#48123", "2.4.7", "deadbeef1234567", "src/core/one.cpp"}) {
    INFO(gone);
    CHECK(std::find(lost.begin(), lost.end(), gone) != lost.end());
  }
  CHECK(std::find(lost.begin(), lost.end(), "59417") == lost.end());
  const auto index = index_of(before, 1'000);
  CHECK(index.find("#48123") != index.npos);
  CHECK(index.find("/etc/opt/alpha/beta/gamma.conf") != index.npos);
  CHECK(index.find("src/core/one.cpp") == index.npos);  // its original has it
}

TEST_CASE("a path in the arguments of a call is told from the escapes before it") {
  auto conversation = script("  user go\n  call 1 Bash x\n");
  for (auto& item : conversation.items)
    if (item->role == Role::assistant) {
      Item copy = *item;
      std::get<ToolCall>(copy.blocks.front()).arguments =
          R"({"command":"one\nsrc/core/lib/two.cpp \"/usr/share/three.txt\""})";
      item = make_item(std::move(copy));
    }
  std::vector<std::string> files;
  for (const auto& fact : facts_of(conversation))
    if (fact.kind == FactKind::file) files.push_back(fact.text);
  CHECK(std::find(files.begin(), files.end(), "src/core/lib/two.cpp") != files.end());
  CHECK(std::find(files.begin(), files.end(), "/usr/share/three.txt") != files.end());
}

TEST_CASE("a path behind an escaped newline begins with its slash") {
  Item item{.id = {1},
            .role = Role::assistant,
            .blocks = {ToolCall{"1", "Bash", R"({"command":"cat <<E\n/usr/src/io/a.c\nlib/b.c"})", {}}}};
  Conversation conversation;
  conversation.items.push_back(make_item(std::move(item)));
  Texts files;
  for (const auto& fact : facts_of(conversation))
    if (fact.kind == FactKind::file) files.push_back(fact.text);
  CHECK(std::find(files.begin(), files.end(), "/usr/src/io/a.c") != files.end());
  CHECK(std::find(files.begin(), files.end(), "lib/b.c") != files.end());
}

TEST_CASE("the heading of a summary is no error") {
  const auto facts = facts_of(script(
      "  summary 1-2 1. Request: go\\n4. Errors and fixes: none\\n5. Errors seen:\\nerror: out of disk\n"));
  Texts errors;
  for (const auto& fact : facts)
    if (fact.kind == FactKind::error) errors.push_back(fact.text);
  CHECK(errors == Texts{"error: out of disk"});
}

namespace {

Texts texts_of(const Conversation& conversation, FactKind kind) {
  Texts found;
  for (const auto& fact : facts_of(conversation))
    if (fact.kind == kind) found.push_back(fact.text);
  return found;
}

Conversation with_call(const char* tool, const char* arguments, const char* subject, const char* result) {
  Conversation conversation = script("  user go on\n");
  const auto add = [&](Role role, Block block) {
    Item item{.id = {conversation.items.size() + 1}, .role = role, .blocks = {std::move(block)}};
    item.recall = {static_cast<std::uint32_t>(item.id.value)};
    conversation.items.push_back(make_item(std::move(item)));
  };
  add(Role::assistant, ToolCall{"c", tool, arguments, {}});
  add(Role::user, ToolResult{.call_id = "c", .tool = tool, .text = result, .subject = subject});
  return conversation;
}

}  // namespace

TEST_CASE("the keys of a call's arguments are no identifiers, its values are") {
  const auto talk = with_call(
      "Edit",
      R"({"file_path":"src/a.cpp","old_string":"int oldName;","replace_all": true,"new_string":"{\"key_in_text\": parseNew}"})",
      "src/a.cpp", "done");
  const auto idents = texts_of(talk, FactKind::ident);
  for (const char* key : {"file_path", "old_string", "new_string", "replace_all"})
    CHECK(std::find(idents.begin(), idents.end(), key) == idents.end());
  for (const char* name : {"oldName", "parseNew", "key_in_text"})
    CHECK(std::find(idents.begin(), idents.end(), name) != idents.end());
}

TEST_CASE("a pattern is no command and no file") {
  const auto grep = with_call("Grep", R"({"pattern":"eof.c"})", "eof.c", "src/a.cpp:3:eof");
  CHECK(texts_of(grep, FactKind::command).empty());
  const auto files = texts_of(with_call("Glob", "{}", "src/**/*.cpp", "none"), FactKind::file);
  CHECK(files.empty());
  CHECK(texts_of(with_call("Bash", "{}", "make test", "ok"), FactKind::command) == Texts{"make test"});
}

TEST_CASE("a file is listed once, by its path in the project") {
  const auto talk = script(R"(
  user Look at tokenizer.py
  call 1 Read src/tokenizer.py
  result 1 = def next(self):
  assistant It is /home/me/p/src/tokenizer.py, or …/src/tokenizer.py; other.py is another one, module_$i.cpp none, 0x no number
)");
  CHECK(texts_of(talk, FactKind::file) == Texts{"src/tokenizer.py", "other.py"});
  CHECK(texts_of(talk, FactKind::number).empty());
  for (const auto& fact : facts_of(talk))
    if (fact.text == "src/tokenizer.py") CHECK(fact.uses >= 3);
}

TEST_CASE("the audit counts the sentences of answers") {
  const auto before = script(R"(
  user Why is it slow?
  assistant It is slow because the index is read twice. We decided to keep it open. Fine.\n```\nint code_is_no_sentence = 1;\n```
  user Go on
  assistant The cache holds now.
)");
  CHECK(audit(before, before).answers.kept == 3);
  auto after = before;
  Item stub = *after.items[1];
  stub.blocks = {Text{"We decided to keep it open.\n[Compacted: 5 lines]"}};
  after.items[1] = make_item(std::move(stub));
  const auto report = audit(before, after);
  CHECK(report.answers.kept == 2);
  CHECK(report.answers.reachable + report.answers.dropped == 1);
  CHECK(report.line().find("; answers: 2 of 3 sentences kept, ") != std::string::npos);
}

TEST_CASE("what changed the system stays in the index behind many other commands") {
  std::string world = "user 1 go\ncall 1 Bash npm install left-pad\nresult 1 = added 1 package\n";
  for (int i = 2; i < 100; ++i) {
    const auto n = std::to_string(i);
    world += "call " + n + " Bash sed -n " + n + "p src/data.txt\nresult " + n + " = line " + n + "\n";
  }
  const auto index = index_of(test::script(world), 200);
  CHECK(index.find("npm install left-pad r1") != std::string::npos);
  CHECK(index.find("sed -n 99p") != std::string::npos);
}

TEST_CASE("what a file says of errors, and prose of a command, are no errors seen") {
  const auto errors = [](const char* tool, const char* result) {
    return texts_of(with_call(tool, "{}", "x", result), FactKind::error);
  };
  const char* const prose = "Tests that fail for a reason of their own should be looked at by hand.\n";
  CHECK(errors("Read", prose).empty());
  CHECK(errors("Read", "error: expected a semicolon\n").empty());
  CHECK(errors("Bash", prose).empty());
  CHECK(errors("Bash", "a.cpp:4: error: expected a semicolon\n").size() == 1);
  CHECK(errors("Bash", "The build failed.\n").size() == 1);
}
