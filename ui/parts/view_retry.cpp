#include "ui/parts/view_retry.h"

namespace tern {
namespace {

// As a new cell, since the rows made of the old text only grow.
template <class T>
void begin_anew(ViewState& view, std::string T::*field) {
  for (auto cell = view.cells.rbegin(); cell != view.cells.rend(); ++cell) {
    if (std::holds_alternative<UserCell>(cell->body) || std::holds_alternative<ToolCell>(cell->body)) return;
    auto* body = std::get_if<T>(&cell->body);
    if (!body || cell->item != ItemId{}) continue;
    (body->*field).clear();
    body->streaming = true;
    cell->id = view.next_cell++;
    cell->version = 0;
    return;
  }
}

}  // namespace

void forget_streamed(ViewState& view) {
  begin_anew<ThinkingCell>(view, &ThinkingCell::text);
  begin_anew<AssistantCell>(view, &AssistantCell::markdown);
}

}  // namespace tern
