#include "agent/protocol/asked_words.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/asked.h"

using namespace tern;

namespace {

template <class T>
T read(std::string_view name, std::string_view words = {}) {
  const auto command = asked_words(name, words);
  const auto* asked = asked_in<T>(command);
  REQUIRE(asked);
  return *asked;
}

std::string misread(std::string_view name, std::string_view words) { return read<Misread>(name, words).why; }

}  // namespace

TEST_CASE("words about the context become questions, and one change") {
  CHECK_FALSE(read<AskContext>("context").again);
  read<AskContextItems>("context", "items");
  read<AskCompactionLog>("context", " log ");
  read<AskTuning>("context", "tune");
  read<ApplyTuning>("context", "tune --apply");
  CHECK(misread("context", "tune --applied").find("--apply]") != std::string::npos);
}

TEST_CASE("summaries are asked for as a list, by number or for an audit") {
  read<AskSummaries>("summaries");
  read<AskSummaryAudit>("summaries", "audit");
  CHECK(read<AskSummaryTexts>("summaries", "5").newest == 5);
  CHECK(misread("summaries", "0").find("\"0\" is not a number") != std::string::npos);
  CHECK(misread("summaries", "5x").find("\"5x\" is not a number") != std::string::npos);
}

TEST_CASE("rules, folders and settings are changed by word") {
  read<AskRules>("permissions");
  const auto rule = read<AddRule>("permissions", "deny  Edit(secret/**)");
  CHECK(rule.kind == RuleKind::deny);
  CHECK(rule.spec == "Edit(secret/**)");
  CHECK(read<RescopeRule>("permissions", "scope Bash(make)").spec == "Bash(make)");
  CHECK(read<RemoveRule>("permissions", "remove Bash(npm run x)").spec == "Bash(npm run x)");
  CHECK(read<AskVerdict>("permissions", "test rm -rf build").command == "rm -rf build");
  CHECK(misread("permissions", "test").find("Write /permissions") == 0);
  CHECK(read<AddFolder>("add-dir", "../more").path == "../more");
  read<AskSettings>("config");
  CHECK(read<AskSetting>("config", "theme").name == "theme");
  const auto setting = read<ChangeSetting>("config", "compression.microAt 0.5");
  CHECK(setting.key == "compression.microAt");
  CHECK(setting.value == "0.5");
}

TEST_CASE("limits on cost are read with their dollars") {
  read<AskCost>("cost");
  const auto limit = read<LimitCost>("cost", "limit session $2.50");
  CHECK(limit.what == "session");
  CHECK(limit.dollars == 2.5);
  CHECK(read<LimitCost>("cost", "limit Bash off").dollars == 0);
  CHECK(read<LimitCost>("cost", "limit off").what.empty());
  for (const char* wrong : {"limit", "limit turn", "limit turn -1", "limit turn 2x", "limits turn 2"})
    CHECK(misread("cost", wrong).find("/cost limit turn|session|day") != std::string::npos);
}

TEST_CASE("effort is read by name, number and step") {
  read<AskEffort>("effort");
  CHECK(read<SetEffort>("effort", "high").tokens == 24'000);
  CHECK(read<SetEffort>("effort", "8000").tokens == 8'000);
  CHECK_FALSE(read<StepEffort>("effort", "less").up);
  CHECK(misread("effort", "much").find("not \"much\"") != std::string::npos);
  CHECK(misread("effort", "9999999").find("number of tokens") != std::string::npos);
}

TEST_CASE("a handoff is a text when --text comes first or last") {
  CHECK(read<HandOver>("handoff", "the parser").focus == "the parser");
  CHECK(read<AskHandover>("handoff", "--text").focus.empty());
  CHECK(read<AskHandover>("handoff", "--text the parser").focus == "the parser");
  CHECK(read<AskHandover>("handoff", "the parser --text").focus == "the parser");
  CHECK(read<HandOver>("handoff", "--texts").focus == "--texts");
}

TEST_CASE("words that ask for nothing are said to") {
  CHECK(misread("teapot", "") == "Unknown request \"teapot\".");
  CHECK(read<ExportConversation>("export", " talk.md ").file == "talk.md");
  CHECK(read<AskServers>("mcp", "off github").words == "off github");
}

TEST_CASE("an original is named or searched for") {
  read<AskOriginals>("recall");
  CHECK(read<AskOriginal>("recall", "r17").id.value == 17);
  CHECK(read<SearchOriginals>("recall", "no space left").text == "no space left");
}
