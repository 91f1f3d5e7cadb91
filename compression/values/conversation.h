// The values everybody speaks: what the model will be sent, as immutable items.
// An Item never changes once made; a Conversation is a cheap-to-copy vector of shared items. Only apply()
// (edit.h) makes a new conversation from an old one. Nothing here does I/O, reads a clock or knows JSON.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tern {

enum class Role { system, user, assistant };

struct ItemId {
  std::uint64_t value = 0;
  auto operator<=>(const ItemId&) const = default;
};
// Counts of tokens are signed, so that savings subtract without surprises.
using Tokens = std::int64_t;
using TimePoint = std::chrono::sys_time<std::chrono::milliseconds>;

// Names one original in the log for ever: shown as "r17". Zero means "no original of its own".
struct RecallId {
  std::uint32_t value = 0;
  auto operator<=>(const RecallId&) const = default;
  explicit operator bool() const { return value != 0; }
};
std::string to_string(RecallId id);               // "r17"
RecallId parse_recall_id(std::string_view text);  // "r17", "R17" or "17"; zero when it is none

struct ItemRange {  // both ends belong to it
  ItemId first, last;
  auto operator<=>(const ItemRange&) const = default;
};

struct Text {
  std::string text;
  bool operator==(const Text&) const = default;
};
struct Thinking {
  std::string text, signature;  // an unsigned thought is never resent
  bool redacted = false;        // then signature holds the opaque data
  bool operator==(const Thinking&) const = default;
};
struct ToolCall {
  std::string id, name, arguments;  // arguments stay JSON text here
  std::string signature;            // Gemini's thought signature, resent unchanged
  bool operator==(const ToolCall&) const = default;
};
enum class ResultForm { full, snipped, compacted };
struct ToolResult {
  std::string call_id, tool, text;
  bool is_error = false;
  std::string subject;  // path or command, for one-line labels
  RecallId recall;      // the original bytes, in the store
  ResultForm form = ResultForm::full;
  bool operator==(const ToolResult&) const = default;
};
struct Image {
  std::string media_type, blob;  // raw bytes, not base64
  bool operator==(const Image&) const = default;
};
struct Document {
  std::string media_type, blob;
  bool operator==(const Document&) const = default;
};
struct Summary {
  std::string text;
  ItemRange covers;
  bool operator==(const Summary&) const = default;
};
using Block = std::variant<Text, Thinking, ToolCall, ToolResult, Image, Document, Summary>;

// Tool results travel in an item of role user, all results of one assistant message in one item, directly
// after it.
struct Item {
  ItemId id;
  Role role = Role::user;
  TimePoint when{};
  std::vector<Block> blocks;
  bool pinned = false;
  Tokens tokens = 0;         // counted once, when the item is made (make_item in tokens.h)
  RecallId recall;           // the item's own text in the store; results carry theirs in the block
  bool interrupted = false;  // the stream was cut; kept as it stood
  bool synthetic = false;    // tern wrote it (summary, notice, resume rule), not the person and not the model
};
using ItemPtr = std::shared_ptr<const Item>;

struct Conversation {
  std::vector<ItemPtr> items;
};

// Visitor made of lambdas: std::visit(overloaded{...}, block).
template <class... F>
struct overloaded : F... {
  using F::operator()...;
};
template <class... F>
overloaded(F...) -> overloaded<F...>;

}  // namespace tern
