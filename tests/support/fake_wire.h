// What the fake server says, as bytes: one reply of a scenario in the dialect of an API.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tern::test {

struct FakeUsage {
  std::int64_t input = 0, output = 0, cache_read = 0, cache_write = 0;
  std::int64_t long_write = 0;  // of cache_write: kept for an hour
};

// The events of a stream, each complete with its blank line. `serial` makes ids differ from request to
// request. A call of the tool `search` comes in the service's own form (responses: tool_search_call).
std::vector<std::string> fake_stream(std::string_view api, const nlohmann::json& reply,
                                     const FakeUsage& usage, int serial, const std::string& search = {});
// The body of a refusal, in the service's exact shape.
std::string fake_error(std::string_view api, int status, std::string_view message);
// "The context is full": HTTP status and body (responses: 200 and a stream with response.failed).
struct FakeRefusal {
  int status = 400;
  std::string body;
  bool stream = false;
};
FakeRefusal fake_overflow(std::string_view api, std::int64_t limit, std::int64_t asked);
// An error event inside a running stream.
std::string fake_error_event(std::string_view api, std::string_view type, std::string_view message);
std::string fake_broken_event(std::string_view api);

}  // namespace tern::test
