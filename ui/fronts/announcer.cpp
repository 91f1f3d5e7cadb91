#include "ui/fronts/announcer.h"

#include <utility>

namespace tern {

Announcer::Announcer(const TerminalTraits& traits, bool bell, std::string_view folder)
    : traits_(traits), bell_(bell) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
  folder_ = folder.substr(folder.rfind('/') + 1);
}

void Announcer::forget() {
  title_.clear();
  progress_ = TabProgress::none;
}

Announcer::State Announcer::state_of(const ViewState& view) {
  if (view.permission || view.question) return State::asking;
  return view.working ? State::working : State::idle;
}

// The state first: tabs cut their titles at the end.
std::string Announcer::title(const ViewState& view, State state) const {
  static constexpr std::string_view signs[] = {"", "◌ ", "? "};
  const std::string& name = view.session_name.empty() ? folder_ : view.session_name;
  return std::string(signs[static_cast<std::size_t>(state)]) + (name.empty() ? "tern" : name + " · tern");
}

std::string Announcer::news(const ViewState& view, State state) const {
  if (state == State::asking)
    return "Waiting for you: " + (view.permission
                                      ? view.permission->title
                                      : view.question->text.substr(0, view.question->text.find('\n')));
  for (auto cell = view.cells.rbegin(); cell != view.cells.rend(); ++cell) {
    if (const auto* notice = std::get_if<NoticeCell>(&cell->body); notice && notice->level == Level::error)
      return notice->text;
    if (const auto* answer = std::get_if<AssistantCell>(&cell->body))
      return answer->markdown.substr(0, answer->markdown.find('\n'));
    if (std::holds_alternative<UserCell>(cell->body)) break;
  }
  return "Turn finished.";
}

std::string Announcer::follow(const ViewState& view, bool watched) {
  std::string bytes;
  const State state = state_of(view), before = std::exchange(state_, state);
  if (traits_.title)
    if (std::string now = title(view, state); now != title_) bytes += title_sequence(title_ = std::move(now));
  const TabProgress progress = state == State::working  ? TabProgress::working
                               : state == State::asking ? TabProgress::waiting
                                                        : TabProgress::none;
  if (traits_.progress && progress != progress_) bytes += progress_sequence(progress_ = progress);
  const bool calls = before == State::working && state != State::working;
  if (calls && bell_ && !watched)
    bytes += notify_sequence(title(view, State::idle), news(view, state), traits_);
  return bytes;
}

}  // namespace tern
