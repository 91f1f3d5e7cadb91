// A window that begins anew: what stays of the conversation word for word, the model's notes, the open todos
// and an index of the specifics that left. Pure but for the notes' files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/store/note_book.h"
#include "compression/values/budget.h"
#include "compression/values/context_edit.h"

namespace tern {

struct TodoItem;

struct FreshWindow {
  Edits edits;
  std::string text, index;
  ItemRange covers;
  std::size_t left = 0;  // messages that leave
};
// The oldest leave until `room` tokens of the conversation are left; zero: all that may. Nothing when there
// is nothing that may leave.
std::optional<FreshWindow> fresh_window(const Conversation& conversation, const Budget& budget,
                                        const std::vector<Note>& notes, const std::vector<TodoItem>& todos,
                                        const std::string& why, Tokens room = 0);

// The notes in at most so many tokens, the newest first; those without room are named.
std::string notes_text(std::vector<Note> notes, Tokens budget);

// Why the next window shall begin by notes; empty: by a summary.
std::string by_notes(const CompressionConfig& config, const std::vector<Note>& notes,
                     std::uint64_t since_turn);

}  // namespace tern
