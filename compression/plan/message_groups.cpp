#include "compression/plan/message_groups.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "compression/text/image_size.h"
#include "compression/values/blocks.h"

namespace tern {

namespace {

std::string kilobytes(std::string_view blob) { return std::to_string((blob.size() + 999) / 1'000) + " kB"; }

std::string picture(const Image& image) {
  const auto size = image_size(image.blob);
  if (size.width == 0) return image.media_type + " " + kilobytes(image.blob);
  return image.media_type + " " + std::to_string(size.width) + "×" + std::to_string(size.height);
}

}  // namespace

Groups group(const std::vector<ItemPtr>& items) {
  Groups groups;
  std::unordered_map<std::string_view, std::size_t> open;
  for (const auto& item : items) {
    if (item->role == Role::system) continue;
    ++groups.messages;
    groups.tokens += item->tokens;
    if (is_human(*item)) groups.requests.push_back(item.get());
    if (item->role == Role::assistant && has<Text>(*item)) groups.answers.push_back(item.get());
    for (const auto& block : item->blocks) {
      if (const auto* image = std::get_if<Image>(&block)) {
        ++groups.images;
        groups.media.push_back(picture(*image));
      } else if (const auto* document = std::get_if<Document>(&block)) {
        ++groups.documents;
        groups.media.push_back(document->media_type + " " + kilobytes(document->blob));
      }
      if (const auto* call = std::get_if<ToolCall>(&block)) {
        open[call->id] = groups.calls.size();
        groups.calls.push_back({call, nullptr, item->recall});
      } else if (const auto* result = std::get_if<ToolResult>(&block)) {
        if (!open.count(result->call_id))
          open[result->call_id] = groups.calls.size(), groups.calls.push_back({});
        auto& note = groups.calls[open[result->call_id]];
        note.result = result;
        if (result->recall) note.recall = result->recall;
      }
    }
  }
  std::copy_if(groups.calls.begin(), groups.calls.end(), std::back_inserter(groups.errors),
               [](const CallNote& note) { return note.result && note.result->is_error; });
  return groups;
}

}  // namespace tern
