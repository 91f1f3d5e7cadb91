// Esc at every byte of recorded streams, through the whole turn: whatever was kept, the next request has the
// shape each service insists on, and the person's prompts are all in it.
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "agent/models/http_provider.h"
#include "agent/models/providers.h"
#include "agent/models/sse.h"
#include "tests/agent/turn/turn_rig.h"
#include "tests/support/fake_llm.h"
#include "tests/support/fake_wire.h"
#include "tests/support/sanitized.h"
#include "tests/support/wires.h"

using namespace tern;
using namespace tern::test;

namespace {

std::vector<nlohmann::json> replies() {
  return {{{"text", "Plain \"text\" with ünï, 中文 and 😀.\n"}, {"pieces", 4}},
          {{"thinking", "Hm, let me think."},
           {"text", "Then."},
           {"calls",
            {{{"name", "Read"}, {"arguments", {{"file_path", "a\\b\"c"}}}},
             {{"name", "Glob"}, {"arguments", {{"pattern", "*.txt"}}}}}}},
          {{"calls", {{{"name", "Read"}, {"arguments", nlohmann::json::object()}}}}, {"stop", "length"}}};
}

std::string stream_of(const Wire& dialect, const nlohmann::json& reply) {
  std::string bytes;
  for (const std::string& event : fake_stream(dialect.name, reply, {.input = 10, .output = 5}, 1))
    bytes += event;
  return bytes;
}

// The dialect's own decoder over the first bytes of a stream; then the person presses Esc, as HttpProvider
// would tell it.
class Cut : public Provider {
 public:
  std::unique_ptr<Codec> codec;
  std::string_view bytes;
  std::stop_source* person = nullptr;

  void stream(const Request& request, const Sink& sink, std::stop_token) override {
    StreamOut out(sink, codec->hold(), request.may_call_tools);
    const auto decoder = codec->decoder(request);
    SseParser parser(codec->lines() ? SseParser::Form::lines : SseParser::Form::events);
    for (char byte : bytes) {
      const std::string chunk(1, byte);
      parser.feed(chunk, [&](auto name, auto data) { decode_event(*decoder, name, data, out); });
      out.flush();
    }
    person->request_stop();
    sink(Failed{.kind = Failure::cancelled, .message = "cancelled"});
  }
};

// What is wrong with the request that follows, as any service would get it; empty = nothing.
std::string wrong_with(Rig& rig, const std::vector<std::unique_ptr<Provider>>& services) {
  Request next;
  rig.script.then(Reply{{Finished{StopReason::refusal}}, [&](const Request& request) { next = request; }});
  rig.turn("the second prompt");
  if (const auto problems = check(next.conversation); !problems.empty()) return problems.front().what;
  next.model = "model";
  for (std::size_t i = 0; i < services.size(); ++i) {
    const std::string body = services[i]->body(next);
    if (const auto problems = shape_problems(wires()[i].name, body); !problems.empty())
      return std::string(wires()[i].name) + ": " + problems.front();
    for (const char* prompt : {"the first prompt", "the second prompt"})
      if (body.find(prompt) == body.npos) return std::string(wires()[i].name) + ": lost " + prompt;
  }
  return {};
}

std::vector<std::unique_ptr<Provider>> all_services() {
  std::vector<std::unique_ptr<Provider>> services;
  for (const Wire& dialect : wires())
    services.push_back(make_provider(dialect.provider, {.base_url = "https://h", .key = "k", .headers = {}}));
  return services;
}

}  // namespace

TEST_CASE("a turn stopped at any byte of a stream leaves a next request that every service takes") {
  const auto services = all_services();
  for (const Wire& dialect : wires())
    for (const auto& reply : replies()) {
      const std::string bytes = stream_of(dialect, reply);
      Rig rig;
      rig.keep_events = false;
      auto cut = std::make_unique<Cut>();
      Cut& wire = *cut;
      wire.codec =
          find_provider(dialect.provider)->codec({.base_url = "https://h", .key = "", .headers = {}});
      auto after = std::move(rig.provider);
      for (std::size_t end = 0; end <= bytes.size(); end += stride) {
        INFO(dialect.provider << " stopped at byte " << end << " of " << reply.dump());
        std::stop_source person;
        wire.bytes = std::string_view(bytes).substr(0, end), wire.person = &person;
        rig.context.conversation = {};
        rig.provider = std::move(cut);
        const TurnEnded ended = rig.turn("the first prompt", person.get_token());
        cut.reset(static_cast<Cut*>(rig.provider.release()));
        REQUIRE(ended.how == TurnEnded::How::interrupted);
        REQUIRE(ended.exit_code == 130);
        rig.provider = std::move(after);
        const std::string problem = wrong_with(rig, services);
        after = std::move(rig.provider);
        REQUIRE(problem == "");
      }
    }
}

TEST_CASE("the same over a real connection that falls silent there") {
  const auto services = all_services();
  for (const Wire& dialect : wires())
    for (const auto& reply : replies()) {
      const std::size_t size = stream_of(dialect, reply).size();
      Rig rig;
      rig.keep_events = false;
      auto after = std::move(rig.provider);
      for (std::size_t end = 0; end < size; end += std::max<std::size_t>(size / 5, 1)) {
        auto broken = reply;
        broken["fault"] = {{"kind", "hang"}, {"at", end}};
        FakeLlm server(nlohmann::json{{"replies", {broken}}}.dump());
        INFO(dialect.provider << " stopped at byte " << end << " of " << reply.dump());
        std::stop_source person;
        RunOptions options;
        options.timeouts.silence = std::chrono::milliseconds(8);
        rig.provider = make_provider_with(dialect.provider,
                                          {.base_url = server.url(), .key = "k", .headers = {}}, options);
        rig.context.conversation = {};
        rig.agent.emit = [&](const Event& event) {
          if (std::holds_alternative<Waiting>(event)) person.request_stop();
        };
        const TurnEnded ended = rig.turn("the first prompt", person.get_token());
        rig.agent.emit = rig.emit;
        REQUIRE(ended.how == TurnEnded::How::interrupted);
        std::swap(rig.provider, after);
        const std::string problem = wrong_with(rig, services);
        std::swap(rig.provider, after);
        REQUIRE(problem == "");
      }
    }
}
