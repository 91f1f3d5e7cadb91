// Pictures and documents before every request: as many as the provider takes, the newest of them.
#include <algorithm>

#include "agent/compactor/compactor.h"
#include "compression/plan/attachments.h"

namespace tern {
namespace {

constexpr int least_refused_pixels = 2'000;  // no provider refuses a smaller picture for its size

}  // namespace

void Compactor::fit_attachments(Context& context) {
  auto limits = attachment_limits(context.model.provider);
  limits.tokens = item_target(budget_of(context), context.config.compact_at);  // no tier shortens them
  auto edits = fewer_attachments(context.conversation, limits);
  if (edits.empty()) return;
  const auto why = "more pictures and documents than " + context.model.provider + " takes in one request";
  if (!steered_cut(context, edits, why, false)) return;
  commit(context, {.edits = std::move(edits), .tier = Tier::micro, .strategy = "attachments", .why = why});
}

// The provider refused a request whose length may be that of its pictures. True: a half of them is left.
bool Compactor::half_the_attachments(Context& context, bool certain) {
  constexpr std::uint64_t heavy = 4u << 20;
  constexpr std::size_t many = 20;
  const auto load = attachments_of(context.conversation);
  if (load.count == 0 || (!certain && load.bytes < heavy && load.count < many)) return false;
  AttachmentLimits half{
      .count = load.count * 2 / 3, .bytes = load.bytes * 2 / 3, .pages = std::max(load.pages * 2 / 3, 1)};
  half.pixels = half.pixels_of_many = least_refused_pixels;
  auto edits = fewer_attachments(context.conversation, half);
  if (edits.empty()) return false;
  const std::string why = "the provider refused the request: fewer pictures and documents are sent";
  if (!steered_cut(context, edits, why, false)) return false;
  return commit(context,
                {.edits = std::move(edits), .tier = Tier::micro, .strategy = "attachments", .why = why});
}

}  // namespace tern
