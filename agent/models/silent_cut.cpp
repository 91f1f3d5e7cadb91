#include "agent/models/silent_cut.h"

#include <algorithm>
#include <cstdlib>

#include "compression/values/tokens.h"

namespace tern {
namespace {

// What of an item such a server gets to read as text: thoughts stay here, and what a picture costs is the
// server's affair.
Tokens sent(const Item& item) {
  Tokens sum = 0;
  for (const Block& block : item.blocks)
    if (!std::holds_alternative<Thinking>(block) && !std::holds_alternative<Image>(block) &&
        !std::holds_alternative<Document>(block))
      sum += estimate(block);
  return sum;
}

// A cut prompt fills the server's context or half of it. Contexts are powers of two, the larger ones also
// three or five times one (12k, 24k, 40k); any multiple of 1,024 would make every large figure one.
bool is_context_size(Tokens reported) {
  for (Tokens size = 1'024; size <= reported * 2; size *= 2)
    for (const Tokens context : {size, size * 3, size * 5})
      if ((context == size || context >= 10'240) &&
          std::abs(reported - context) <= std::max<Tokens>(context / 200, 8))
        return true;
  return false;
}

}  // namespace

std::optional<RequestError> silent_cut(const Request& request, Tokens reported) {
  Tokens all = estimate(request.system), since_answer = 0;
  for (const ItemPtr& item : request.conversation.items) {
    if (item->role == Role::assistant) since_answer = 0;
    all += sent(*item), since_answer += sent(*item);
  }
  // A tokenizer that is kind to digits counts little more than half of our estimate; to take that for a cut
  // would end a healthy conversation. Below it, or at the size of a context, it is one.
  const Tokens plausible = all * (is_context_size(reported) ? 60 : 45) / 100;
  if (reported < 900 || all < 3'000 || reported > plausible) return std::nullopt;
  // Old servers report what they had to read, and had the rest cached: then it is no more than what was new.
  if (reported <= since_answer * 5 / 4 && !is_context_size(reported)) return std::nullopt;
  return RequestError{.kind = Failure::overflow,
                      .message = "the server read only " + std::to_string(reported) + " of about " +
                                 std::to_string(all) +
                                 " tokens: its context is smaller than the conversation — raise its context "
                                 "(num_ctx), or set the model's window",
                      .limit = reported,
                      .asked = all};
}

}  // namespace tern
