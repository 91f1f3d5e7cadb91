// What a conversation comes to for the tokenizer of one family. The pieces of each item are counted once and
// kept with it, so that another family costs a multiplication.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "compression/values/families.h"

namespace tern {

class FamilyCount {
 public:
  Tokens of(const Conversation& conversation, Family family);
  Tokens of(const ItemPtr& item, Family family);
  // Tokens estimated of what comes before the conversation, at the rate of the system prompt's text.
  Tokens scaled(Tokens estimated, std::string_view prompt, Family family);

 private:
  struct Counted {
    ItemPtr item;  // holds the address that is the key
    Pieces pieces;
    Tokens other = 0;  // frames, pictures: alike for all
  };
  const Counted& counted(const ItemPtr& item);

  std::unordered_map<const Item*, Counted> items_;
  std::string prompt_;
  Pieces prompt_pieces_;
  Tokens prompt_tokens_ = 0;
};

}  // namespace tern
