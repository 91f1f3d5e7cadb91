#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/decode.h"
#include "tests/support/fake_wire.h"
#include "tests/support/provider_run.h"
#include "tests/support/wires.h"

using namespace tern;
using namespace tern::test;

namespace {

const nlohmann::json cut_replies[] = {
    {{"text", "Plain \"text\" with ünï, 中文 and 😀.\n"}, {"pieces", 2}},
    {{"thinking", "Hm, let me think."},
     {"text", "Then."},
     {"calls",
      {{{"name", "Read"}, {"arguments", {{"file_path", "a\\b\"c"}}}},
       {{"name", "Bash"}, {"arguments", nlohmann::json::object()}}}}},
    {{"text", "cut off"}, {"stop", "length"}},
};

}  // namespace

TEST_CASE("a stream gives the same events wherever its bytes are cut") {
  const Request request = simple_request();
  for (const Wire& wire : wires())
    for (const auto& reply : cut_replies) {
      INFO(wire.provider << " " << reply.dump());
      std::string bytes;
      for (const std::string& event : fake_stream(wire.name, reply, {.input = 10, .output = 5}, 1))
        bytes += event;
      const Decoded whole = decode(wire.provider, request, bytes, bytes.size(), bytes.size());
      REQUIRE(whole.finished >= 0);
      std::size_t different = 0;
      for (std::size_t cut = 1; cut < bytes.size(); ++cut)
        different += !(decode(wire.provider, request, bytes, cut, bytes.size()) == whole);
      for (std::size_t step : {1, 2, 3, 5})
        different += !(decode(wire.provider, request, bytes, step, step) == whole);
      CHECK(different == 0);
    }
}

TEST_CASE("a stream that ends at any byte is never taken for a whole one with a broken call") {
  const Request request = simple_request();
  for (const Wire& wire : wires()) {
    INFO(wire.provider);
    std::string bytes;
    for (const std::string& event : fake_stream(wire.name, cut_replies[1], {.input = 10, .output = 5}, 1))
      bytes += event;
    for (std::size_t end = 0; end < bytes.size(); ++end) {
      const Decoded part = decode(wire.provider, request, bytes.substr(0, end), end, 1);
      for (const Block& block : part.blocks)
        if (const auto* call = std::get_if<ToolCall>(&block))
          REQUIRE((call->arguments.empty() || nlohmann::json::accept(call->arguments)));
    }
  }
}
