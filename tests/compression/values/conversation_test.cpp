#include "compression/values/conversation.h"

#include <catch2/catch_test_macros.hpp>

using namespace tern;

TEST_CASE("a recall id is shown as r and its number, and read back") {
  CHECK(to_string(RecallId{17}) == "r17");
  CHECK(parse_recall_id("r17") == RecallId{17});
  CHECK(parse_recall_id("R17") == RecallId{17});
  CHECK(parse_recall_id("17") == RecallId{17});
}

TEST_CASE("what is no recall id reads as zero") {
  for (const auto* text : {"", "r", "x17", "r17a", "r-1", "17 ", "99999999999"}) {
    INFO(text);
    CHECK_FALSE(parse_recall_id(text));
  }
}
