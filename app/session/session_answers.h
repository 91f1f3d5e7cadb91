// What the session answers to each Query, and what each Change does to it. Also while a turn runs.
#pragma once

#include <string>

#include "agent/protocol/query.h"

namespace tern {

struct SessionParts;

struct SessionQueries {
  SessionParts& s;

  void answer(const Query& query);
  void answer(const Change& change);

 private:
  void tell(const AskContext& asked);
  void tell(const AskContextItems&);
  void tell(const AskCompactionLog&);
  void tell(const AskTuning&);
  void tell(const ApplyTuning&);
  void tell(const AskSummaries&);
  void tell(const AskSummaryTexts& asked);
  void tell(const AskSummaryAudit&);
  void tell(const AskSummary& asked);
  void tell(const AskOriginals&);
  void tell(const AskOriginal& asked);
  void tell(const SearchOriginals& asked);
  void tell(const AskRules&);
  void tell(const AskVerdict& asked);
  void tell(const AddRule& added);
  void tell(const RemoveRule& removed);
  void tell(const RescopeRule& moved);
  void tell(const AddFolder& added);
  void tell(const AskSettings&);
  void tell(const AskSetting& asked);
  void tell(const ChangeSetting& changed);
  void tell(const AskCost&);
  void tell(const LimitCost& limit);
  void tell(const AskEffort&);
  void tell(const SetEffort& asked);
  void tell(const StepEffort& step);
  void tell(const AskTasks&);
  void tell(const AskTaskOutput& asked);
  void tell(const AskHandover& asked);
  void tell(const HandOver& asked);
  void tell(const AskNotes& asked);
  void tell(const AskMemory&);
  void tell(const Misread& misread);
  void tell(const AskStatus&);
  void tell(const AskTools&);
  void tell(const AskModels&);
  void tell(const AskLogin&);
  void tell(const AskDiff&);
  void tell(const AskDoctor&);
  void tell(const AskLastRequest&);
  void tell(const AskEarlier& asked);
  void tell(const AskRewindPoints&);
  void tell(const AskSessions& asked);
  void tell(const AskSessionPreview& asked);
  void tell(const AskSessionsElsewhere&);
  void tell(const DeleteSession& deleted);
  void tell(const ExportConversation& asked);
  void tell(const MoveToBackground&);
  void tell(const AskHooks& asked);
  void tell(const AskServers& asked);
  void tell(const AskLanguageServers& asked);
  void tune(bool apply);
  void keep(const std::string& key, const std::string& value);
  std::string handover(const std::string& focus) const;
};

}  // namespace tern
