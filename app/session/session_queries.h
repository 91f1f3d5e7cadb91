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
  void tell(const Misread& misread);
  void tell(const AskedWords& words);
  void cost(const std::string& argument);
  void cost_limit(const std::string& words);
  void status();
  void tasks(const std::string& id);
  void earlier(bool all);
  void sessions(const std::string& words);
  void delete_session(const std::string& id);
  void rewind_points();
  void debug();
  void memory();
  void keep(const std::string& key, const std::string& value);
  void tools();
  void login();
  void effort(const std::string& level);
  void diff();
  void handoff(const std::string& argument);
  void export_conversation(const std::string& argument);
};

}  // namespace tern
