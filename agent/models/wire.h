// Bytes of a request body. A message becomes a fragment once, when it is first sent, and the same bytes ever
// after: bodies are joined from fragments, so that a prefix stays byte-stable for the provider's cache and a
// megabyte costs a copy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "compression/values/conversation.h"

namespace tern {

// The text as a JSON string with its quotes; broken UTF-8 becomes U+FFFD, so the result is always valid.
void append_quoted(std::string& out, std::string_view text);
std::string json_quote(std::string_view text);
void append_base64(std::string& out, std::string_view bytes);
// Arguments of a call as one JSON object, whatever the model sent: "" → {}, broken → {"unparsed": "…"}.
std::string object_text(std::string_view arguments);
// `[a-zA-Z0-9_-]{1,64}`, the same id for the same input, different ids for different inputs.
std::string wire_id(std::string_view id);
// "first,second": a comma only between two that are not empty.
void append_joined(std::string& out, std::string_view fragment, bool& first);

struct Fragment {
  static constexpr std::size_t nowhere = std::size_t(-1);
  std::string text;            // blocks or messages, joined by commas; empty = nothing to send
  std::size_t mark = nowhere;  // where a cache marker may be inserted (before a closing brace)
  bool calls = false, results = false;
};

// One per provider object and dialect. Keyed by the item itself: items never change, so neither do fragments.
class FragmentCache {
 public:
  // Begin a body; fragments made for another form (a model family with rules of its own) are dropped, and
  // those not asked for in the last two bodies.
  void begin();
  void form(std::string_view name);
  template <class Make>
  const Fragment& get(const ItemPtr& item, Make make) {
    Entry& entry = entries_[item.get()];
    if (!entry.item) entry.item = item, entry.fragment = make(*item), ++made_;
    entry.used = body_;
    return entry.fragment;
  }
  std::size_t size() const { return entries_.size(); }
  std::uint64_t made() const { return made_; }

 private:
  struct Entry {
    ItemPtr item;  // keeps the key alive
    Fragment fragment;
    std::uint64_t used = 0;
  };
  std::unordered_map<const Item*, Entry> entries_;
  std::string form_;
  std::uint64_t body_ = 0, made_ = 0;
};

}  // namespace tern
