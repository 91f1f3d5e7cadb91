#include "agent/models/wire.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/provider_run.h"

using namespace tern;
using nlohmann::json;

TEST_CASE("quoting makes valid JSON of any bytes") {
  CHECK(json_quote("a\"b\\c\n\t\x01") == R"("a\"b\\c\n\t\u0001")");
  CHECK(json::parse(json_quote("ünï 中文 😀")) == "ünï 中文 😀");
  std::string all;
  for (int c = 0; c < 256; ++c) all += char(c), all += char(255 - c), all += 'x';
  CHECK(json::accept(json_quote(all)));
  for (const char* cut :
       {"\xe4\xb8", "\xf0\x9f\x98", "\xc3", "\xed\xa0\x80", "\xc0\x80", "\xf5\x80\x80\x80", "\xc3\x1b[2J"}) {
    const auto parsed = json::parse(json_quote(cut), nullptr, false);
    REQUIRE(parsed.is_string());
    CHECK(parsed.get<std::string>().find("\xef\xbf\xbd") == 0);
  }
}

TEST_CASE("base64 pads") {
  const auto encode = [](std::string_view bytes) {
    std::string out;
    append_base64(out, bytes);
    return out;
  };
  CHECK(encode("") == "");
  CHECK(encode("f") == "Zg==");
  CHECK(encode("fo") == "Zm8=");
  CHECK(encode("foobar") == "Zm9vYmFy");
  CHECK(encode(std::string_view("\xff\x00\xfe", 3)) == "/wD+");
}

TEST_CASE("ids keep to the pattern, are stable and stay apart") {
  CHECK(wire_id("toolu_01A-b") == "toolu_01A-b");
  CHECK(wire_id("a/b") == wire_id("a/b"));
  CHECK(wire_id("a/b") != wire_id("a_b"));
  CHECK(wire_id("a/b") != wire_id("a.b"));
  CHECK(wire_id(std::string(300, 'x')).size() <= 64);
  CHECK(!wire_id("").empty());
}

TEST_CASE("arguments are always one object") {
  CHECK(object_text("") == "{}");
  CHECK(object_text(" {\"a\":1}") == "{\"a\":1}");
  CHECK(json::parse(object_text("{\"a\":"))["unparsed"] == "{\"a\":");
  CHECK(json::parse(object_text("[1]"))["unparsed"] == "[1]");
}

TEST_CASE("a fragment is made once and forgotten when it is no longer asked for") {
  FragmentCache cache;
  const auto one = test::item(1, Role::user, {Text{"one"}}), two = test::item(2, Role::user, {Text{"two"}});
  const auto make = [](const Item&) { return Fragment{.text = "x"}; };
  for (int body = 0; body < 5; ++body) {
    cache.begin();
    cache.get(one, make);
    if (body == 0) cache.get(two, make);
  }
  CHECK(cache.made() == 2);
  CHECK(cache.size() == 1);
  cache.form("other");
  CHECK(cache.size() == 0);
}
