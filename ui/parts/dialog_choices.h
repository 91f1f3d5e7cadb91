// The answers that a dialog offers: what each says, which letter picks it, and what it does.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "agent/protocol/event.h"

namespace tern {

struct DialogChoice {
  enum class Does {
    answer,
    write,
    edit
  };                        // write: the user's own words go along; edit: the text, in $EDITOR
  std::string text, help;   // safe for the screen; help is secondary
  std::string letter = {};  // beside its number; may be empty
  Does does = Does::answer;
  Verdict verdict = Verdict::yes;
  std::size_t picked = 0;  // Answer::choice
};
using DialogChoices = std::vector<DialogChoice>;

// Each way to say "always" is one row; `for_project` picks among those that differ in how long they hold.
// Without it all are rows.
DialogChoices permission_choices(const PermissionAsked& asked, std::optional<bool> for_project);
bool has_scopes(const PermissionAsked& asked);  // one can be had for the session and for the project
DialogChoices trust_choices();
DialogChoices question_choices(const std::vector<QuestionOption>& options, bool own_words = true);
DialogChoices plan_choices();

}  // namespace tern
