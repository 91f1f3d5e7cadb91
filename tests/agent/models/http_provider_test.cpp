#include "agent/models/http_provider.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "agent/models/providers.h"
#include "tests/support/fake_llm.h"
#include "tests/support/provider_run.h"
#include "tests/support/wires.h"

using namespace tern;
using namespace tern::test;
using namespace std::chrono_literals;

namespace {

// A provider whose waits take no time and are written down.
struct Quick {
  std::vector<std::chrono::milliseconds> waits;
  std::unique_ptr<Provider> provider;
  Quick(const std::string& name, const std::string& url, HttpTimeouts timeouts = {}) {
    ProviderConfig config{.base_url = url, .key = "test-key-0123456789", .headers = {}};
    RunOptions options;
    options.timeouts = timeouts;
    options.wait = [this](std::chrono::milliseconds time, std::stop_token stop) {
      return waits.push_back(time), !stop.stop_requested();
    };
    options.random = [] { return 0.5; };
    options.now = [] { return std::chrono::sys_seconds(784111777s); };  // Sun, 06 Nov 1994 08:49:37 GMT
    provider = make_provider_with(name, config, options);
  }
  Ran run(const Request& request = simple_request(), std::stop_token stop = {}) {
    return test::run(*provider, request, stop);
  }
};

std::string faulty(const std::string& fault, int times = 1) {
  nlohmann::json plan{{"default", {{"text", "all is well again"}}}};
  for (int i = 0; i < times; ++i)
    plan["replies"].push_back(
        {{"text", "a reply that breaks in the middle of its text"}, {"fault", nlohmann::json::parse(fault)}});
  return plan.dump();
}

}  // namespace

TEST_CASE("a fault that may pass is retried until the answer is whole") {
  for (const Wire& wire : wires())
    for (const char* fault :
         {R"({"kind":"status","status":529,"message":"Overloaded"})", R"({"kind":"status","status":500})",
          R"({"kind":"status","status":429})", R"({"kind":"html"})", R"({"kind":"reset","at":200})",
          R"({"kind":"reset","at":0})", R"({"kind":"eof"})", R"({"kind":"badsse"})",
          R"({"kind":"error_event"})", R"({"kind":"status","status":408})", R"({"kind":"bad_gzip"})"}) {
      INFO(wire.provider << " " << fault);
      FakeLlm server(faulty(fault, 2));
      Quick quick(wire.provider, server.url());
      const Ran ran = quick.run();
      REQUIRE(ran.finished);
      CHECK(ran.text == "all is well again");
      CHECK(ran.blocks.size() == 1);
      CHECK(ran.retries.size() == 2);
      CHECK(server.requests().size() == 3);
    }
}

TEST_CASE("a fault that will not pass fails at once, with the right class") {
  struct Row {
    const char* fault;
    Failure kind;
    const char* word;
  };
  for (const Row& row :
       {Row{R"({"kind":"status","status":401,"message":"invalid x-api-key"})", Failure::auth, "key"},
        Row{R"({"kind":"status","status":403})", Failure::auth, "key"},
        Row{R"({"kind":"status","status":400,"message":"messages.0: bad"})", Failure::bad_request,
            "messages.0"},
        Row{R"({"kind":"status","status":404,"message":"model not found"})", Failure::bad_request, "model"},
        Row{R"({"kind":"status","status":413})", Failure::overflow, "/compact"},
        Row{R"({"kind":"spend_limit"})", Failure::quota, "credit"},
        Row{R"({"kind":"status","status":429,"retry-after":"3600"})", Failure::rate, "3600 s"},
        Row{R"({"kind":"overflow"})", Failure::overflow, "too long"}}) {
    INFO(row.fault);
    FakeLlm server(faulty(row.fault));
    Quick quick("anthropic", server.url());
    const Ran ran = quick.run();
    REQUIRE(ran.failed);
    CHECK(ran.failed->kind == row.kind);
    CHECK(ran.failed->message.find(row.word) != std::string::npos);
    CHECK(server.requests().size() == 1);
    CHECK(ran.after_end == 0);
  }
}

TEST_CASE("the server's own wait is kept within ten per cent") {
  struct Row {
    const char* fault;
    std::chrono::milliseconds wait;
  };
  for (const Row& row :
       {Row{R"({"kind":"status","status":429,"retry-after":"7"})", 7'000ms},
        Row{R"({"kind":"status","status":429,"retry-after-ms":"250"})", 250ms},
        Row{R"({"kind":"status","status":503,"retry-after":"Sun, 06 Nov 1994 08:49:47 GMT"})", 10'000ms}}) {
    FakeLlm server(faulty(row.fault));
    Quick quick("anthropic", server.url());
    CHECK(quick.run().finished);
    REQUIRE(quick.waits.size() == 1);
    CHECK(quick.waits[0] >= row.wait);
    CHECK(quick.waits[0] <= row.wait * 11 / 10);
  }
}

TEST_CASE("a fault that stays is given up after ten tries") {
  FakeLlm server(R"({"default":{"fault":{"kind":"status","status":529,"message":"Overloaded"}}})");
  Quick quick("anthropic", server.url());
  const Ran ran = quick.run();
  REQUIRE(ran.failed);
  CHECK(ran.failed->kind == Failure::overloaded);
  CHECK(server.requests().size() == 10);
  CHECK(ran.failed->message.find("10 tries") != std::string::npos);
}

TEST_CASE("an answer that stays unreadable is given up after four tries") {
  FakeLlm server(R"({"default":{"text":" "}})");
  Quick quick("gemini", server.url());
  const Ran ran = quick.run();
  REQUIRE(ran.failed);
  CHECK(ran.failed->kind == Failure::protocol);
  CHECK(server.requests().size() == 4);
}

TEST_CASE("where there is another way, tries are few and no wait is long") {
  struct Row {
    const char* fault;
    HttpTimeouts timeouts;
    std::size_t requests;
  };
  Request request = simple_request();
  request.has_fallback = true;
  for (const Row& row :
       {Row{R"({"kind":"status","status":529,"message":"Overloaded"})", {}, 3},
        Row{R"({"kind":"status","status":429,"retry-after":"15"})", {}, 3},
        Row{R"({"kind":"status","status":429,"retry-after":"60"})", {}, 1},
        Row{R"({"kind":"no_head"})",
            {.connect = std::chrono::seconds(1), .first_byte = 50ms, .idle = std::chrono::seconds(1)},
            1}}) {
    INFO(row.fault);
    FakeLlm server(R"({"default":{"fault":)" + std::string(row.fault) + "}}");
    Quick quick("anthropic", server.url(), row.timeouts);
    CHECK(quick.run(request).failed);
    CHECK(server.requests().size() == row.requests);
    for (const auto wait : quick.waits) CHECK(wait < 20s);
  }
}

TEST_CASE("nothing is sent again after a whole call or text") {
  const std::string stream_with_call =
      R"({"text":"First.","calls":[{"id":"c1","name":"Read","arguments":{"file_path":"a"}},{"id":"c2","name":"Bash","arguments":{"command":"echo a long command that is cut"}}],"fault":{"kind":"reset","at":1500}})";
  FakeLlm server(R"({"replies":[)" + stream_with_call + "]}");
  Quick quick("anthropic", server.url());
  const Ran ran = quick.run();
  REQUIRE(ran.finished);
  CHECK(server.requests().size() == 1);
  CHECK(ran.all<Text>().size() == 1);
  CHECK(ran.finished->reason == (ran.all<ToolCall>().empty() ? StopReason::cut : StopReason::tools));
}

TEST_CASE("a connection reset at any of twenty places runs nothing twice and ends whole") {
  const std::string reply =
      R"({"text":"First.","calls":[{"id":"c1","name":"Read","arguments":{"file_path":"a"}},{"id":"c2","name":"Bash","arguments":{"command":"echo a long command that is cut"}}])";
  for (const Wire& wire : wires())
    for (int place = 0; place < 20; ++place) {
      INFO(wire.provider << " reset at byte " << place * 75);
      FakeLlm server(R"({"replies":[)" + reply + R"(,"fault":{"kind":"reset","ms":0,"at":)" +
                     std::to_string(place * 75) + "}}," + reply + "}]}");
      Quick quick(wire.provider, server.url());
      const Ran ran = quick.run();
      REQUIRE(ran.finished);
      const auto calls = ran.all<ToolCall>();
      REQUIRE(calls.size() <= 2);
      if (calls.size() == 2) CHECK(calls[0].id != calls[1].id);
      // Either nothing had counted and the whole answer came again, or what had counted was kept and nothing
      // was sent again.
      CHECK((server.requests().size() == 2 ? ran.retries.size() == 1 && calls.size() == 2
                                           : ran.retries.empty()));
    }
}

TEST_CASE("silence is reported, then the stream is sent again once, then given up") {
  FakeLlm server(R"({"default":{"text":"a text that stops in the middle","fault":{"kind":"hang"}}})");
  Quick quick("anthropic", server.url(), {.connect = 1s, .first_byte = 1s, .idle = 60ms, .silence = 25ms});
  const Ran ran = quick.run();
  REQUIRE(ran.failed);
  CHECK(ran.failed->kind == Failure::timeout);
  CHECK(ran.silences.size() >= 2);
  CHECK(server.requests().size() == 2);
}

TEST_CASE("a stall that ends is waited out") {
  FakeLlm server(R"({"replies":[{"text":"slow but whole","fault":{"kind":"stall","ms":60}}]})");
  Quick quick("anthropic", server.url(), {.silence = 20ms});
  const Ran ran = quick.run();
  CHECK(ran.text == "slow but whole");
  CHECK(ran.retries.empty());
  CHECK(!ran.silences.empty());
}

TEST_CASE("a server that takes the request and says nothing is timed out by the first-byte clock") {
  FakeLlm server(R"({"default":{"fault":{"kind":"no_head"}}})");
  Quick quick("anthropic", server.url(), {.connect = 1s, .first_byte = 50ms, .idle = 1s});
  const Ran ran = quick.run();
  REQUIRE(ran.failed);
  CHECK(ran.failed->kind == Failure::timeout);
}

TEST_CASE("nobody at the address is said clearly after a few tries") {
  std::string url;
  {
    FakeLlm server;
    url = server.url();
  }
  Quick quick("anthropic", url);
  const Ran ran = quick.run();
  REQUIRE(ran.failed);
  CHECK(ran.failed->kind == Failure::network);
  CHECK(ran.failed->message.find("nothing answers at 127.0.0.1") != std::string::npos);
  CHECK(ran.retries.size() == 2);
}

TEST_CASE("plain http is for this machine only") {
  Quick quick("anthropic", "http://192.0.2.1");
  const Ran ran = quick.run();
  REQUIRE(ran.failed);
  CHECK(ran.failed->message.find("use https") != std::string::npos);
  CHECK(ran.retries.empty());
}

TEST_CASE("a redirect is not followed: the key would travel with it") {
  FakeLlm elsewhere;
  FakeLlm server(R"({"default":{"fault":{"kind":"status","status":307,"location":")" + elsewhere.url() +
                 R"(/v1/messages","message":"moved"}}})");
  Quick quick("anthropic", server.url());
  const Ran ran = quick.run();
  REQUIRE(ran.failed);
  CHECK(ran.failed->http_status == 307);
  CHECK(elsewhere.requests().empty());
}

TEST_CASE("input plus output over the limit: the output wish shrinks first") {
  FakeLlm server(
      R"({"replies":[{"fault":{"kind":"status","status":400,"message":"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again"}}]})");
  Quick quick("anthropic", server.url());
  Request request = simple_request();
  request.max_output = 21'333;
  CHECK(quick.run(request).finished);
  CHECK(nlohmann::json::parse(server.requests().at(1).body)["max_tokens"] == 200'000 - 188'240 - 64);
}

TEST_CASE("a key never shows in what went wrong") {
  FakeLlm server(
      R"({"replies":[{"fault":{"kind":"status","status":401,"message":"Incorrect API key provided: test-key-0123456789, or sk-ant-abcdefghijklmnopqrstuvwx"}}]})");
  Quick quick("anthropic", server.url());
  const Ran ran = quick.run();
  REQUIRE(ran.failed);
  CHECK(ran.failed->message.find("test-key") == std::string::npos);
  CHECK(ran.failed->message.find("sk-ant") == std::string::npos);
}

namespace {

// How long the call goes on after a stop was asked for.
std::chrono::nanoseconds stopped_after(const char* scenario) {
  FakeLlm server(scenario);
  ProviderConfig config{.base_url = server.url(), .key = "k", .headers = {}};
  const auto provider = make_provider("anthropic", config);
  std::stop_source source;
  std::chrono::steady_clock::time_point asked;
  std::jthread stopper([&] {
    server.wait_for_requests(1, 5s);
    asked = std::chrono::steady_clock::now();
    source.request_stop();
  });
  const Ran ran = test::run(*provider, simple_request(), source.get_token());
  const auto end = std::chrono::steady_clock::now();
  stopper.join();
  REQUIRE(ran.failed);
  CHECK(ran.failed->kind == Failure::cancelled);
  return end - asked;
}

}  // namespace

TEST_CASE("a stop ends the call within 50 ms in every state") {
  for (const char* scenario : {R"({"default":{"fault":{"kind":"no_head"}}})",
                               R"({"default":{"text":"some text","fault":{"kind":"hang"}}})"}) {
    auto took = stopped_after(scenario);
    for (int tries = 0; took >= 50ms && tries < 10; ++tries)
      took = stopped_after(scenario);  // a busy machine may take longer
    CHECK(took < 50ms);
  }
}

TEST_CASE(
    "a server that never finishes the TLS handshake is left within the connect clock, and at once on stop") {
  FakeLlm server;  // speaks no TLS: it waits for the end of a head that never comes
  const std::string url = "https://127.0.0.1:" + std::to_string(server.port());
  Quick quick("anthropic", url, {.connect = 60ms});
  const Ran ran = quick.run();
  REQUIRE(ran.failed);
  CHECK(ran.failed->kind == Failure::timeout);

  const auto provider = make_provider("anthropic", {.base_url = url, .key = "k", .headers = {}});
  std::stop_source source;
  std::chrono::steady_clock::time_point asked;
  std::thread stopper([&] {
    asked = std::chrono::steady_clock::now();
    source.request_stop();
  });
  CHECK(test::run(*provider, simple_request(), source.get_token()).failed->kind == Failure::cancelled);
  CHECK(std::chrono::steady_clock::now() - asked < 50ms);
  stopper.join();
}

TEST_CASE("a name that does not exist is said clearly") {
  Quick quick("anthropic", "https://no-such-host.invalid");
  const Ran ran = quick.run();
  REQUIRE(ran.failed);
  CHECK((ran.failed->kind == Failure::network || ran.failed->kind == Failure::timeout));
  CHECK(ran.failed->message.find("no-such-host.invalid") != std::string::npos);
}

TEST_CASE("several streams share the network thread") {
  FakeLlm server(R"({"default":{"text":"an answer in several pieces","delay_ms":1,"pieces":2}})");
  std::vector<std::thread> threads;
  std::atomic<int> whole{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      const auto provider = make_provider("anthropic", {.base_url = server.url(), .key = "k", .headers = {}});
      for (int round = 0; round < 3; ++round)
        whole += test::run(*provider, simple_request()).text == "an answer in several pieces";
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(whole == 12);
}
