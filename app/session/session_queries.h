// What the session answers to each Query, and what each Change does to it. Also while a turn runs.
#pragma once

#include <string>

#include "app/session/session.h"

namespace tern {

struct SessionQueries {
  Session& s;

  void answer(const Query& query);
  void answer(const Change& change);
  void models();

 private:
  void tell(const AskContext& asked);
  void tell(const AskContextItems&);
  void tell(const AskCompactionLog&);
  void tell(const AskTuning&);
  void tell(const ApplyTuning&);
  void tune(bool apply);
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
  void tell(const AskedWords& words);
  void status();
  void earlier(bool all);
  void sessions(const std::string& words);
  void delete_session(const std::string& id);
  void rewind_points();
  void debug();
  void keep(const std::string& key, const std::string& value);
  void tools();
  void login();
  void diff();
  std::string handover(const std::string& focus) const;
  void export_conversation(const std::string& argument);
};

}  // namespace tern
