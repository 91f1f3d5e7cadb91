#include "compression/plan/attachments.h"

#include <string>
#include <utility>
#include <vector>

#include "compression/values/tokens.h"

namespace tern {

namespace {

const std::string* blob_of(const Block& block) {
  if (const auto* image = std::get_if<Image>(&block)) return &image->blob;
  if (const auto* document = std::get_if<Document>(&block)) return &document->blob;
  return nullptr;
}

std::string size_of(std::uint64_t bytes) {
  constexpr std::uint64_t kb = 1024, mb = kb * kb;
  return bytes >= mb ? std::to_string(bytes / mb) + " MB" : std::to_string((bytes + kb - 1) / kb) + " KB";
}

Edit to_a_line(const Item& item, std::size_t block, std::uint64_t bytes) {
  const bool picture = std::holds_alternative<Image>(item.blocks[block]);
  std::string line =
      std::string("[") + (picture ? "a picture" : "a document") + " of " + size_of(bytes) + " that is no longer sent";
  if (item.recall) line += " \xC2\xB7 " + to_string(item.recall);
  Block with = Text{line + "]"};
  const Tokens freed = estimate(item.blocks[block]) - estimate(with);
  return {item.id,
          Replace{block, std::move(with)},
          {Tier::micro, "attachments", "more pictures and documents than a request takes"},
          freed};
}

}  // namespace

AttachmentLimits attachment_limits(std::string_view provider) {
  if (provider == "gemini") return {.count = 500, .bytes = 14u << 20};  // 20 MB of a request
  if (provider == "openai" || provider == "responses") return {.count = 400, .bytes = 34u << 20};
  return {};  // Anthropic: 100 and 32 MB; others say less of themselves
}

AttachmentLoad attachments_of(const Conversation& conversation) {
  AttachmentLoad load;
  for (const auto& item : conversation.items)
    for (const auto& block : item->blocks)
      if (const auto* blob = blob_of(block)) ++load.count, load.bytes += blob->size();
  return load;
}

Edits fewer_attachments(const Conversation& conversation, const AttachmentLimits& limits) {
  auto load = attachments_of(conversation);
  if (load.count <= limits.count && load.bytes <= limits.bytes) return {};
  const auto most = limits.count - limits.count / 4;
  const auto most_bytes = limits.bytes - limits.bytes / 4;
  Edits edits;
  for (const auto& item : conversation.items) {
    if (item->pinned || item->role == Role::system) continue;
    for (std::size_t b = 0; b < item->blocks.size(); ++b) {
      if (load.count <= most && load.bytes <= most_bytes) return edits;
      const auto* blob = blob_of(item->blocks[b]);
      if (!blob) continue;
      --load.count, load.bytes -= blob->size();
      edits.push_back(to_a_line(*item, b, blob->size()));
    }
  }
  return edits;
}

}  // namespace tern
