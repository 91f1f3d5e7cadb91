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
