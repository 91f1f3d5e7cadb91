#include "ui/parts/dialog_choices.h"

#include <algorithm>

#include "ui/text/text_safe.h"

namespace tern {
namespace {

using Does = DialogChoice::Does;

bool same_reach(const GrantChoice& a, const GrantChoice& b) { return a.text == b.text; }

}  // namespace

bool has_scopes(const PermissionAsked& asked) {
  const auto& all = asked.grants;
  return std::any_of(all.begin(), all.end(), [&](const GrantChoice& one) {
    return one.for_project && std::any_of(all.begin(), all.end(), [&](const GrantChoice& b) {
             return !b.for_project && same_reach(one, b);
           });
  });
}

DialogChoices permission_choices(const PermissionAsked& asked, std::optional<bool> for_project) {
  DialogChoices choices = {{.text = "Yes", .help = {}, .letter = "y"}};
  const auto& all = asked.grants;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto same = [&](const GrantChoice& other) { return same_reach(all[i], other); };
    const bool offered = std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), same);
    if (for_project && offered) continue;
    const auto wanted = [&](const GrantChoice& other) {
      return same(other) && other.for_project == *for_project;
    };
    const auto found = for_project ? std::find_if(all.begin(), all.end(), wanted) : all.end();
    const std::size_t picked = found == all.end() ? i : static_cast<std::size_t>(found - all.begin());
    const char* scope = all[picked].for_project ? " (this project)" : " (this session)";
    choices.push_back({.text = "Yes, and don't ask again for " + safe_command(all[i].text) + scope,
                       .help = {},
                       .letter = choices.size() == 1 ? "a" : "",
                       .verdict = Verdict::yes_remember,
                       .picked = picked});
  }
  choices.push_back({.text = "No, tell tern what to do instead",
                     .help = {},
                     .letter = "n",
                     .does = Does::write,
                     .verdict = Verdict::no});
  return choices;
}

DialogChoices trust_choices() {
  return {{.text = "Yes", .help = {}, .letter = "y"},
          {.text = "No, leave", .help = {}, .letter = "n", .verdict = Verdict::no}};
}

DialogChoices question_choices(const std::vector<QuestionOption>& options, bool own_words) {
  DialogChoices choices;
  for (const QuestionOption& option : options)
    choices.push_back({.text = safe_text(option.label, Lines::one),
                       .help = safe_text(option.help, Lines::one),
                       .picked = choices.size()});
  if (!own_words) return choices;
  choices.push_back({.text = options.empty() ? "Answer" : "Something else",
                     .help = {},
                     .does = Does::write,
                     .picked = options.size()});
  return choices;
}

DialogChoices plan_choices() {
  return {{.text = "Carry it out", .help = {}, .letter = "y"},
          {.text = "Carry it out and accept edits", .help = {}, .letter = "a", .picked = 1},
          {.text = "Keep planning", .help = {}, .letter = "n", .does = Does::write, .verdict = Verdict::no},
          {.text = "Edit the plan in $EDITOR", .help = {}, .letter = "e", .does = Does::edit}};
}

}  // namespace tern
