// /handoff: a conversation goes on in a new session that begins with what matters of this one, or as a text
// for another agent.
#include "agent/compactor/handover.h"
#include "app/session/session_queries.h"
#include "compression/text/plain_text.h"

namespace tern {
namespace {

struct Handoff {
  std::string focus;
  bool as_text = false;
};

// "--text" may come before the focus or after it.
Handoff handoff_of(std::string_view argument) {
  constexpr std::string_view option = "--text", blanks = " \t\n";
  auto words = trimmed(argument);
  const bool first =
      words == option || (words.starts_with(option) && blanks.find(words[option.size()]) != blanks.npos);
  const bool last = !first && words.ends_with(option) && words.size() > option.size() &&
                    blanks.find(words[words.size() - option.size() - 1]) != blanks.npos;
  if (first) words.remove_prefix(option.size());
  if (last) words.remove_suffix(option.size());
  return {std::string(trimmed(words)), first || last};
}

}  // namespace

void SessionQueries::handoff(const std::string& argument) {
  const auto text_of = [&](const std::string& focus) {
    return handover_text({s.opened_.id, focus, s.compactor_->notes().notes()}, s.context_.conversation,
                         s.context_.config, s.hands_->todos);
  };
  const auto [focus, as_text] = handoff_of(argument);
  if (as_text) return s.emit(Page{"Handoff", text_of(focus)});
  if (s.working_)
    return s.emit(
        Notice{Level::warning, "A turn is running: use /handoff when it has ended, or /handoff --text now."});
  if (s.context_.conversation.items.empty())
    return s.emit(Notice{Level::info, "There is nothing to hand over yet."});
  auto text = text_of(focus);
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
