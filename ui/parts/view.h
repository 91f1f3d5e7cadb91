// The pure fold of events into the state of the screen.
#pragma once

#include <cstdint>

#include "ui/parts/view_state.h"

namespace tern {

// The question on the screen has been answered: the turn's clock goes on.
void resume_clock(ViewState& view, std::int64_t now_ms);
// The question that waits for an answer is no more.
void drop_question(ViewState& view, std::int64_t now_ms);

// `now_ms` is any steady clock's milliseconds. Marks the view dirty when something visible changed.
void fold(ViewState& view, Event event, std::int64_t now_ms);

}  // namespace tern
