// How often the screen is drawn. A key is answered at once. What arrives by itself shares frames: an answer
// that is written, a command that talks and a spinner read as well at thirty frames a second as at sixty, for
// half the work; what a panel or a resize brings while nothing runs is shown at sixty. Pure: the clock is
// passed in.
#pragma once

#include <cstdint>

namespace tern {

constexpr std::int64_t frame_slot_ms = 16, stream_slot_ms = 33;

enum class FrameFor { key, stream, other };

inline std::int64_t next_frame_ms(std::int64_t drawn_ms, FrameFor what) {
  if (what == FrameFor::key) return 0;
  return drawn_ms + (what == FrameFor::stream ? stream_slot_ms : frame_slot_ms);
}

}  // namespace tern
