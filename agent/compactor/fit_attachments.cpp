// Pictures and documents before every request: as many as the provider takes, the newest of them.
#include "agent/compactor/compactor.h"
#include "compression/plan/attachments.h"

namespace tern {

void Compactor::fit_attachments(Context& context) {
  auto edits = fewer_attachments(context.conversation, attachment_limits(context.model.provider));
  if (edits.empty()) return;
  commit(context, {.edits = std::move(edits),
                   .tier = Tier::micro,
                   .strategy = "attachments",
                   .why = "more pictures and documents than " + context.model.provider + " takes in one request"});
}

// The provider refused a request whose length may be that of its pictures. True: a half of them is left.
bool Compactor::half_the_attachments(Context& context) {
  constexpr std::uint64_t heavy = 4u << 20;
  constexpr std::size_t many = 20;
  const auto load = attachments_of(context.conversation);
  if (load.bytes < heavy && load.count < many) return false;
  auto edits = fewer_attachments(context.conversation, {.count = load.count * 2 / 3, .bytes = load.bytes * 2 / 3});
  if (edits.empty()) return false;
  return commit(context, {.edits = std::move(edits),
                          .tier = Tier::micro,
                          .strategy = "attachments",
                          .why = "the provider refused the request: fewer pictures and documents are sent"});
}

}  // namespace tern
