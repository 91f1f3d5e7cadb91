// What the user is asked, and that it has been settled. The way back is Answer (command.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/protocol/command.h"

namespace tern {

struct GrantChoice {         // a way to say "always"
  std::string text;          // exactly what it covers: "any command that begins with `npm test`"
  bool for_project = false;  // kept in the person's own configuration; otherwise it holds for this session
};
struct PermissionAsked {
  std::uint64_t id = 0;
  std::string tool, title, body, diff;   // body: the command or the parameters in full
  std::string reason;                    // why it asks
  bool danger = false;                   // it destroys something
  std::vector<GrantChoice> grants = {};  // Answer::choice picks one
  std::string call_id = {};              // of the call that waits for the answer
};
struct PermissionSettled {
  std::uint64_t id = 0;
  Verdict verdict = Verdict::no;
};
struct TrustAsked {
  std::uint64_t id = 0;
  std::string folder, what;  // what the folder would like to set or run
};
struct QuestionOption {
  std::string label, help;
};
// By the model: the answer has verdict yes and the number of an option, or that of none and own words as its
// note. A plan has no options: 0 carries it out, 1 also accepts edits, and the note is the plan where the
// user has changed it; verdict no goes on planning, and the note says what should be different.
struct QuestionAsked {
  enum class Kind { question, plan } kind = Kind::question;
  std::uint64_t id = 0;
  std::string text;  // Markdown
  std::vector<QuestionOption> options;
  bool own_words = true;  // an answer may be none of the options
};

}  // namespace tern
