#include "compression/plan/attachments.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "compression/text/image_size.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

constexpr int unlimited = std::numeric_limits<int>::max();
constexpr int most_pages = 100'000;  // a larger figure is none

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
  std::string line = std::string("[") + (picture ? "a picture" : "a document") + " of " + size_of(bytes) +
                     " that is no longer sent";
  if (item.recall) line += " \xC2\xB7 " + to_string(item.recall);
  Block with = Text{line + "]"};
  const Tokens freed = estimate(item.blocks[block]) - estimate(with);
  return {item.id,
          Replace{block, std::move(with)},
          {Tier::micro, "attachments", "more pictures and documents than a request takes"},
          freed};
}

struct Attached {
  const Item* item = nullptr;
  std::size_t block = 0;
  AttachmentLoad weight;
  int side = 0;  // the longer one, in pixels
  bool pinned = false, gone = false;
};

AttachmentLoad weight_of(const Block& block) {
  const auto* blob = blob_of(block);
  if (!blob) return {};
  return {1, blob->size(), std::holds_alternative<Document>(block) ? pdf_pages(*blob) : 0, estimate(block)};
}

void add(AttachmentLoad& load, const AttachmentLoad& more) {
  load.count += more.count;
  load.bytes += more.bytes;
  load.pages += more.pages;
  load.tokens += more.tokens;
}

std::vector<Attached> attached(const Conversation& conversation) {
  std::vector<Attached> found;
  for (const auto& item : conversation.items)
    for (std::size_t b = 0; b < item->blocks.size(); ++b) {
      Attached one{item.get(), b, weight_of(item->blocks[b])};
      if (one.weight.count == 0) continue;
      one.pinned = item->pinned || item->role == Role::system;
      if (const auto* image = std::get_if<Image>(&item->blocks[b])) {
        const auto size = image_size(image->blob);
        one.side = std::max(size.width, size.height);
      }
      found.push_back(one);
    }
  return found;
}

}  // namespace

AttachmentLimits attachment_limits(std::string_view provider) {
  if (provider == "gemini")  // 20 MB of a request
    return {
        .count = 500, .bytes = 14u << 20, .pages = 1'000, .pixels = unlimited, .pixels_of_many = unlimited};
  if (provider == "openai" || provider == "responses")  // it scales them itself
    return {.count = 400, .bytes = 34u << 20, .pages = 100, .pixels = unlimited, .pixels_of_many = unlimited};
  return {};  // Anthropic: 100 and 32 MB; others say less of themselves
}

int pdf_pages(std::string_view blob) {
  constexpr std::string_view count = "/Count", page = "/Type";
  int most = 0, single = 0;
  for (auto at = blob.find(count); at != blob.npos; at = blob.find(count, at + 1)) {
    const auto digits = blob.find_first_not_of(" \r\n", at + count.size());
    int pages = 0;
    if (digits != blob.npos) std::from_chars(blob.data() + digits, blob.data() + blob.size(), pages);
    if (pages < most_pages) most = std::max(most, pages);
  }
  for (auto at = blob.find(page); at != blob.npos; at = blob.find(page, at + 1)) {
    const auto name =
        blob.substr(std::min(blob.find_first_not_of(" \r\n", at + page.size()), blob.size()), 6);
    single += name.starts_with("/Page") && (name.size() < 6 || name[5] != 's');
  }
  return std::max({most, single, 1});
}

AttachmentLoad attachments_of(const Conversation& conversation) {
  AttachmentLoad load;
  for (const auto& item : conversation.items)
    for (const auto& block : item->blocks) add(load, weight_of(block));
  return load;
}

Edits fewer_attachments(const Conversation& conversation, const AttachmentLimits& limits) {
  auto found = attached(conversation);
  AttachmentLoad load;
  for (const auto& one : found) add(load, one.weight);
  Edits edits;
  const auto leave = [&](Attached& one) {
    if (std::exchange(one.gone, true)) return;
    load.count -= one.weight.count;
    load.bytes -= one.weight.bytes;
    load.pages -= one.weight.pages;
    load.tokens -= one.weight.tokens;
    edits.push_back(to_a_line(*one.item, one.block, one.weight.bytes));
  };
  const auto within = [&](auto room) {
    return load.count <= room(limits.count) && load.bytes <= room(limits.bytes) &&
           load.pages <= room(limits.pages) && load.tokens <= room(limits.tokens);
  };
  if (!within([](auto limit) { return limit; })) {
    for (auto& one : found) {
      if (within([](auto limit) { return limit - limit / 4; })) break;
      if (!one.pinned) leave(one);
    }
  }
  for (auto& one : found)
    if (one.side > limits.pixels && !one.pinned) leave(one);
  for (auto& one : found) {
    const bool large = std::any_of(found.begin(), found.end(), [&](const Attached& other) {
      return !other.gone && other.side > limits.pixels_of_many;
    });
    if (!large || load.count <= limits.many) break;
    if (!one.pinned) leave(one);
  }
  return edits;
}

}  // namespace tern
