// Pictures and documents give way by number and by bytes, the oldest first.
#include "compression/plan/attachments.h"

#include <catch2/catch_test_macros.hpp>

#include "compression/values/blocks.h"
#include "compression/values/check.h"
#include "compression/values/tokens.h"

using namespace tern;

namespace {

Conversation pictures(int n, std::size_t bytes, bool documents = false) {
  Conversation conversation;
  for (int i = 1; i <= n; ++i) {
    Item item;
    item.id = {static_cast<std::uint64_t>(i)};
    item.recall = {static_cast<std::uint32_t>(i)};
    if (documents)
      item.blocks.push_back(Document{"application/pdf", std::string(bytes, 'd')});
    else
      item.blocks.push_back(Image{"image/png", std::string(bytes, 'p')});
    item.blocks.push_back(Text{"Look at picture " + std::to_string(i)});
    item.pinned = i == 2;
    conversation.items.push_back(make_item(std::move(item)));
  }
  return conversation;
}

}  // namespace

TEST_CASE("a session with 150 pictures goes on with the newest") {
  const auto before = pictures(150, 1'000);
  const auto limits = attachment_limits("anthropic");
  const auto after = tern::apply(before, fewer_attachments(before, limits));
  CHECK(attachments_of(after).count == 75);
  CHECK(check_edit(before, after).empty());
  CHECK(has<Image>(*after.items.back()));
  CHECK(has<Image>(*after.items[1]));  // pinned
  REQUIRE_FALSE(has<Image>(*after.items[0]));
  CHECK(std::get<Text>(after.items[0]->blocks[0]).text == "[a picture of 1 KB that is no longer sent · r1]");
  CHECK(std::get<Text>(after.items[0]->blocks[1]).text == "Look at picture 1");
  CHECK(fewer_attachments(after, limits).empty());
}

TEST_CASE("a session with 40 MB of documents comes below what a request takes") {
  const auto before = pictures(20, 2u << 20, true);
  const auto limits = attachment_limits("anthropic");
  const auto after = tern::apply(before, fewer_attachments(before, limits));
  CHECK(attachments_of(after).bytes <= limits.bytes);
  CHECK(attachments_of(after).count >= 7);
  CHECK(fewer_attachments(pictures(3, 1'000), limits).empty());
}

namespace {

// The header of a PNG: all that is looked at.
std::string png(int width, int height) {
  const auto word = [](int n) { return std::string{char(n >> 24), char(n >> 16), char(n >> 8), char(n)}; };
  return std::string("\x89PNG\r\n\x1a\n", 8) + word(13) + "IHDR" + word(width) + word(height) +
         std::string(40, 'x');
}

Conversation of_sizes(const std::vector<int>& sides) {
  Conversation conversation;
  std::uint64_t n = 0;
  for (const int side : sides)
    conversation.items.push_back(
        make_item({.id = {++n},
                   .role = Role::user,
                   .blocks = {Image{"image/png", png(side, side / 2)}, Text{"look"}}}));
  return conversation;
}

std::vector<std::size_t> left(const Conversation& before, const AttachmentLimits& limits) {
  const auto after = tern::apply(before, fewer_attachments(before, limits));
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < after.items.size(); ++i)
    if (has<Image>(*after.items[i])) places.push_back(i);
  return places;
}

}  // namespace

TEST_CASE("a picture with more pixels than the provider takes is a line, wherever it is") {
  const auto anthropic = attachment_limits("anthropic");
  CHECK(left(of_sizes({100, 9'000, 100}), anthropic) == std::vector<std::size_t>{0, 2});
  CHECK(left(of_sizes({100, 9'000, 100}), attachment_limits("openai")).size() == 3);
  CHECK(left(of_sizes({3'000, 3'000}), anthropic).size() == 2);
}

TEST_CASE("where many pictures make one too large, the oldest leave until it may stay") {
  std::vector<int> sides(24, 500);
  sides.push_back(3'000);
  const auto kept = left(of_sizes(sides), attachment_limits("anthropic"));
  CHECK(kept.size() == 20);
  CHECK(kept.back() == 24);
  std::vector<int> old_one(24, 500);
  old_one.insert(old_one.begin(), 3'000);
  CHECK(left(of_sizes(old_one), attachment_limits("anthropic")).size() == 24);
}

TEST_CASE("pages of documents are counted, and too many leave from the oldest") {
  CHECK(pdf_pages("%PDF-1.4 no tree") == 1);
  CHECK(pdf_pages("<< /Type /Pages /Kids [1 0 R] /Count 42 >>") == 42);
  CHECK(pdf_pages("<< /Type /Page >> << /Type/Page>> << /Type /Pages >>") == 2);
  CHECK(pdf_pages("/Count 99999999999999999999") == 1);
  Conversation conversation;
  for (std::uint64_t n = 1; n <= 4; ++n)
    conversation.items.push_back(
        make_item({.id = {n},
                   .role = Role::user,
                   .blocks = {Document{"application/pdf", "%PDF << /Type /Pages /Count 30 >>"}}}));
  const auto after =
      tern::apply(conversation, fewer_attachments(conversation, attachment_limits("anthropic")));
  CHECK(attachments_of(after).pages == 60);
  CHECK_FALSE(has<Document>(*after.items[0]));
  CHECK(has<Document>(*after.items[3]));
}
