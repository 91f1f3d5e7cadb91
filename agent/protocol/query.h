// What a front end asks the session, one struct a question: answered at once, in the middle of a turn as
// well, by one Page, report, list or Notice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "compression/values/conversation.h"

namespace tern {

struct AskContext {
  bool again = false;  // for a panel that is open: the answer opens none
};
struct AskContextItems {};
struct AskCompactionLog {};
struct AskTuning {};
struct AskSummaries {};  // as a list
struct AskSummaryTexts {
  std::size_t newest = 10;
};
struct AskSummaryAudit {};  // what each kept and lost
struct AskSummary {
  std::uint64_t number = 0;
  bool compared = false;  // with the originals it was made of
};
struct AskOriginals {};  // as a list
struct AskOriginal {
  RecallId id;
};
struct SearchOriginals {
  std::string text;
};
struct AskRules {};  // of permissions, as a list
struct AskVerdict {  // what the rules say to this command
  std::string command;
};
struct AskSettings {};  // as a list
struct AskSetting {     // those whose names hold this
  std::string name;
};
struct AskCost {};
struct AskEffort {};
struct AskTasks {};  // as a list
struct AskTaskOutput {
  std::string id;
};
struct AskHandover {  // as a text for another agent
  std::string focus;
};
struct AskNotes {
  std::string name;  // empty: all of them
};
struct AskMemory {};
struct AskStatus {};
struct AskTools {};
struct AskModels {};
struct AskLogin {};  // the ways to a model
struct AskDiff {};   // of the files changed in this session
struct AskDoctor {};
struct AskLastRequest {};  // exactly as sent
struct AskEarlier {        // what is above the part of the log that is on the screen
  bool all = false;
};
struct AskRewindPoints {};
struct AskSessions {  // of this folder
  std::string text;   // that they contain
};
struct AskSessionPreview {
  std::string id;
};
struct AskSessionsElsewhere {};
struct AskHooks {  // the words are those of each one's own commands: "approve 2", "off github"
  std::string words;
};
struct AskServers {
  std::string words;
};
struct AskLanguageServers {
  std::string words;
};
// Words that ask for nothing.
struct Misread {
  std::string why;
};

using Query =
    std::variant<AskContext, AskContextItems, AskCompactionLog, AskTuning, AskSummaries, AskSummaryTexts,
                 AskSummaryAudit, AskSummary, AskOriginals, AskOriginal, SearchOriginals, AskRules,
                 AskVerdict, AskSettings, AskSetting, AskCost, AskEffort, AskTasks, AskTaskOutput,
                 AskHandover, AskNotes, AskMemory, AskStatus, AskTools, AskModels, AskLogin, AskDiff,
                 AskDoctor, AskLastRequest, AskEarlier, AskRewindPoints, AskSessions, AskSessionPreview,
                 AskSessionsElsewhere, AskHooks, AskServers, AskLanguageServers, Misread>;

struct ApplyTuning {};
enum class RuleKind { allow, ask, deny };
struct AddRule {  // for this session
  RuleKind kind = RuleKind::ask;
  std::string spec;  // "Bash(npm test)"
};
struct RemoveRule {  // one that was made in a session
  std::string spec;
};
struct RescopeRule {  // of this session: now of the project, and the other way round
  std::string spec;
};
struct AddFolder {  // the tools may work there
  std::string path;
};
struct ChangeSetting {
  std::string key, value;
};
struct LimitCost {
  std::string what;    // "turn", "session", "day", a tool, a server; empty: every limit
  double dollars = 0;  // 0 lifts it
};
struct SetEffort {
  int tokens = 0;
};
struct StepEffort {
  bool up = true;
};
struct HandOver {  // this conversation, to a new session
  std::string focus;
};
struct DeleteSession {  // from the lists
  std::string id;
};
struct ExportConversation {
  std::string file;  // empty: one named after the session
};
struct MoveToBackground {};  // the command that runs

// What is changed at once, in the middle of a turn as well, and answered like a question.
using Change =
    std::variant<ApplyTuning, AddRule, RemoveRule, RescopeRule, AddFolder, ChangeSetting, LimitCost,
                 SetEffort, StepEffort, HandOver, DeleteSession, ExportConversation, MoveToBackground>;

}  // namespace tern
