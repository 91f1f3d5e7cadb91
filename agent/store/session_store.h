// The sessions of a project: opened, forked, found. The log is that of the open one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/store/log_store.h"
#include "agent/store/store_types.h"

namespace tern {

class SessionStore : public LogStore {
 public:
  OpenedSession create(NewSession session);
  // By id, unique prefix of an id, exact name, or text of its name or prompts (newest wins). Nothing = none
  // matches; `why` says it.
  std::optional<OpenedSession> resume(std::string_view id_or_text, std::string& why);
  std::optional<OpenedSession> newest(std::string& why, std::string_view cwd = {});  // --continue
  OpenedSession fork(std::string_view name = {});  // of the open session; the log before is shared
  void rename(std::string_view name);
  bool hide(std::string_view id);  // from sessions() and newest(); its log stays. False: not found
  void set_model(std::string_view model);
  std::string session() const;  // id of the open one, empty = none
  std::vector<SessionRow> sessions(std::string_view search = {}, std::size_t limit = 100);
  std::vector<SearchHit> search(std::string_view text, std::size_t limit = 20);  // in all sessions

 protected:
  using LogStore::LogStore;
};

}  // namespace tern
