#include "agent/turn/hook_weight.h"

namespace tern {

Decision weighed(Decision decision, HookWord word, const std::string& reason, const std::string& by) {
  const auto why = "the hook " + by + (word == HookWord::ask ? " asks" : " allows it") +
                   (reason.empty() ? "" : ": " + reason);
  if (word == HookWord::ask && std::holds_alternative<Allow>(decision)) return Ask{why, {}, {}, {}};
  const auto* question = std::get_if<Ask>(&decision);
  if (word == HookWord::allow && question && !question->danger) return Allow{why, true, Reach::own_rights};
  return decision;
}

}  // namespace tern
