// What the model asks the user: a question, or the plan that ends plan mode. An approved plan is kept as a
// file of the project's folder, and pinned until it is done or there is another one.
#pragma once

#include "app/session/session_parts.h"

namespace tern {

struct SessionPlan {
  SessionParts& s;

  // Waits; other commands are answered meanwhile. Esc ends it while a turn runs, and `by` always.
  UserAnswer ask(const UserQuestion& question, std::stop_token by = {});
  bool wants_compaction(const std::string& why);  // false also where nobody can be asked
  void tell_mode();                               // to the model, when it does not know it yet
  void pin();                                     // before a request: a plan approved just now
  void turn_done();                               // all of its tasks may be

 private:
  UserAnswer approve(const std::string& plan, const Answer& answer);
  bool keeps() const;
  std::filesystem::path file() const;
  void unpin();
};

}  // namespace tern
