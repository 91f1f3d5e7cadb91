// The small rows beside the log: drafts, grants, prompts, file changes, pins, todos, state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/store/store_part.h"
#include "agent/store/store_types.h"

namespace tern {

struct FileChange;  // tools/files/journal.h
struct TodoItem;    // tools/set/tool.h

class RowStore : protected StorePart {
 public:
  void put_draft(const DraftRecord& draft);
  std::optional<DraftRecord> draft() const;
  void drop_draft();
  void grant(std::string_view rule, bool for_project);  // "yes, and remember"
  std::vector<std::string> grants() const;              // of the project and of the open session
  void revoke(std::string_view rule);
  void add_prompt(std::string_view text);
  std::vector<std::string> prompts(std::size_t newest = 1'000) const;  // oldest first, repeats once
  // For the journal: `turn` of a change is the id of the user item whose turn made it.
  bool add_change(const FileChange& change);
  std::vector<FileChange> changes(std::uint64_t first_turn, std::uint64_t last_turn) const;  // oldest first
  std::uint64_t add_pin(const PinRecord& pin);
  std::vector<PinRecord> pins() const;
  void remove_pin(std::uint64_t id);
  void set_todos(const std::vector<TodoItem>& todos);
  std::vector<TodoItem> todos() const;
  void set_state(std::string_view key, std::string_view text);  // anything small: mode, calibration …
  std::string state(std::string_view key) const;

 protected:
  using StorePart::StorePart;
};

}  // namespace tern
