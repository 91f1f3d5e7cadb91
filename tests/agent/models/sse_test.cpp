#include "agent/models/sse.h"

#include <catch2/catch_test_macros.hpp>
#include <utility>
#include <vector>

using tern::SseParser;

namespace {

using Events = std::vector<std::pair<std::string, std::string>>;

Events parse(const std::vector<std::string_view>& chunks, SseParser::Form form = SseParser::Form::events,
             std::size_t limit = 1 << 20) {
  SseParser parser(form, limit);
  Events events;
  for (auto chunk : chunks) {
    const std::string own(chunk);  // views must not outlive the call
    parser.feed(own, [&](std::string_view name, std::string_view data) { events.emplace_back(name, data); });
  }
  return events;
}

const std::string stream =
    "\xef\xbb\xbf: comment\r\nevent: a\r\ndata: one\r\n\r\ndata:two\rdata: three\r\rid: 7\nretry: 5\nevent: "
    "named\ndata\n\nunknown: x\ndata:  spaced ünï\n\n"
    "event: no data\n\ndata: [DONE]\n\ndata: unfinished";

const Events expected{{"a", "one"}, {"", "two\nthree"}, {"named", ""}, {"", " spaced ünï"}, {"", "[DONE]"}};

}  // namespace

TEST_CASE("events are read as the standard says") { CHECK(parse({stream}) == expected); }

TEST_CASE("the same events come however the bytes are cut") {
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    INFO(cut);
    CHECK(parse({std::string_view(stream).substr(0, cut), std::string_view(stream).substr(cut)}) == expected);
  }
  for (std::size_t step : {1, 2, 3, 7}) {
    std::vector<std::string_view> chunks;
    for (std::size_t at = 0; at < stream.size(); at += step)
      chunks.push_back(std::string_view(stream).substr(at, step));
    CHECK(parse(chunks) == expected);
  }
}

TEST_CASE("an event without end is a bounded error") {
  SseParser parser(SseParser::Form::events, 1'000);
  const std::string line(400, 'x');
  for (int i = 0; i < 10; ++i) parser.feed("data: " + line + "\n", [](auto, auto) {});
  CHECK(parser.broken());
  SseParser endless(SseParser::Form::events, 1'000);
  for (int i = 0; i < 10; ++i) endless.feed(line, [](auto, auto) {});
  CHECK(endless.broken());
}

TEST_CASE("lines are events of their own in the other form") {
  CHECK(parse({"{\"a\":1}\n{\"b\"", ":2}\r\n\n{\"c\":3}\n"}, SseParser::Form::lines) ==
        Events{{"", "{\"a\":1}"}, {"", "{\"b\":2}"}, {"", "{\"c\":3}"}});
}
