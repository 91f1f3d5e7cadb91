// /handoff: a conversation goes on in a new session that begins with what matters of this one, or as a text
// for another agent.
#include "agent/compactor/handover.h"
#include "app/session/session_answers.h"
#include "app/session/session_parts.h"

namespace tern {

std::string SessionQueries::handover(const std::string& focus) const {
  return handover_text({s.opened_.id, focus, s.compactor_->notes().notes()}, s.context_.conversation,
                       s.context_.config, s.hands_->todos);
}

void SessionQueries::tell(const AskHandover& asked) { s.emit(Page{"Handoff", handover(asked.focus)}); }

void SessionQueries::tell(const HandOver& asked) {
  const auto& focus = asked.focus;
  if (s.working_)
    return s.emit(
        Notice{Level::warning, "A turn is running: use /handoff when it has ended, or /handoff --text now."});
  if (s.context_.conversation.items.empty())
    return s.emit(Notice{Level::info, "There is nothing to hand over yet."});
  auto text = handover(focus);
  const auto from = s.opened_.id;
  std::string why;
  s.add_account();
  auto created =
      s.store_->create({focus, s.setup_.cwd.string(), s.model_name_.provider + "/" + s.model_name_.model});
  if (s.store_->resume(from, why))
    s.store_->remember(Notice{Level::info, "Handed over to session " + created.id + "."});
  auto opened = s.store_->resume(created.id, why);
  s.compactor_->stop_drafting();
  s.adopt(opened ? std::move(*opened) : std::move(created));
  Item seed;
  seed.role = Role::user;
  seed.synthetic = true;
  seed.blocks.push_back(Text{std::move(text)});
  append(*s.agent_, std::move(seed));
  s.emit(Notice{Level::info, "This session goes on from " + from + ": /resume " + from + " returns to it."});
  s.show_meters();
}

}  // namespace tern
