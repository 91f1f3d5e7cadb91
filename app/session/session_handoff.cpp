// /handoff: a conversation goes on in a new session that begins with what matters of this one, or as a text
// for another agent.
#include <algorithm>

#include "agent/compactor/handover.h"
#include "app/session/session_commands.h"

namespace tern {

void SessionQueries::handoff(const std::string& argument) {
  const auto text_of = [&](const std::string& focus) {
    return handover_text({s.opened_.id, focus, s.compactor_->notes().notes()}, s.context_.conversation,
                         s.context_.config, s.hands_->todos);
  };
  const bool as_text = argument.starts_with("--text");
  if (as_text)
    return s.emit(Page{"Handoff", text_of(argument.substr(std::min<std::size_t>(argument.size(), 7)))});
  if (s.working_)
    return s.emit(
        Notice{Level::warning, "A turn is running: use /handoff when it has ended, or /handoff --text now."});
  if (s.context_.conversation.items.empty())
    return s.emit(Notice{Level::info, "There is nothing to hand over yet."});
  auto text = text_of(argument);
  const auto from = s.opened_.id;
  std::string why;
  s.add_account();
  auto created =
      s.store_->create({argument, s.setup_.cwd.string(), s.model_name_.provider + "/" + s.model_name_.model});
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
