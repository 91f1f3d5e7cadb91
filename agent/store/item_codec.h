// Items, edit batches and screen events as bytes for the log, and back. Compact and fast (a 10,000-turn
// session is read in milliseconds), texts stay plain so that they can be found with grep. Reading never
// trusts the bytes: damage gives nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "agent/protocol/event.h"
#include "compression/values/context_edit.h"

namespace tern {

// Pictures and documents are kept beside the log: `put` stores bytes and gives a key, `get` gives them back.
struct BlobStore {
  std::function<std::string(std::string_view bytes)> put;
  std::function<std::optional<std::string>(std::string_view key)> get;
};

std::string encode(const Item& item, const BlobStore& blobs = {});
std::optional<Item> decode_item(std::string_view bytes, const BlobStore& blobs = {});

std::string encode(const Batch& batch);
std::optional<Batch> decode_batch(std::string_view bytes);

// Only what a screen shows and no item holds: Notice, Compaction, TurnEnded. Empty for all others.
std::string encode(const Event& event);
std::optional<Event> decode_event(std::string_view bytes);

// An open call's result, until its item is in the log.
std::string encode(const ToolResult& result);
std::optional<ToolResult> decode_result(std::string_view bytes);

}  // namespace tern
