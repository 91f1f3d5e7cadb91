// The provider's share of the figures: a megabyte of body from fragments, tokens a second through SSE and
// codec, both beside a plain copy or parse of the same bytes in the same run.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "agent/models/codec.h"
#include "agent/models/providers.h"
#include "agent/models/sse.h"
#include "tests/support/fake_llm.h"
#include "tests/support/fake_wire.h"
#include "tests/support/provider_run.h"

using namespace tern;
using namespace tern::test;

namespace {

template <class F>
double milliseconds_of(F work, int times) {
  double best = 1e9;
  for (int i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(
        best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

void body() {
  Request request = simple_request();
  std::string text;
  while (text.size() < 4'400) text += "a line of ordinary \"quoted\" text, with a tab\tand an end\n";
  for (std::uint64_t i = 2; i < 232; ++i)
    request.conversation.items.push_back(item(i, i % 2 ? Role::user : Role::assistant, {Text{text}}));
  const ProviderKind& kind = *find_provider("anthropic");
  const auto codec = kind.codec({.base_url = "https://h", .key = "k", .headers = {}});
  FragmentCache cache;
  std::string out;
  const auto make = [&] {
    out.clear();
    cache.begin();
    codec->body(request, cache, out);
  };
  const double first = milliseconds_of(make, 1), again = milliseconds_of(make, 200);
  std::string copy(out.size(), 0);
  const double plain = milliseconds_of([&] { std::memcpy(copy.data(), out.data(), out.size()); }, 200);
  std::printf("body %zu bytes: first %.3f ms, again %.3f ms, memcpy %.3f ms (x%.1f)\n", out.size(), first,
              again, plain, again / plain);
}

void stream(const std::string& provider, const std::string& api) {
  constexpr int tokens = 200'000;
  std::string text, wire;
  for (int i = 0; i < tokens; ++i) text += i % 20 == 19 ? "word\n" : "word ";
  for (const std::string& event : fake_stream(api, {{"text", text}, {"pieces", 5}}, {}, 1)) wire += event;
  const auto codec = find_provider(provider)->codec({.base_url = "https://h", .key = "k", .headers = {}});
  const Request request = simple_request();
  std::size_t got = 0;
  const double all = milliseconds_of(
      [&] {
        got = 0;
        StreamOut out([&](StreamEvent event) {
          if (auto* delta = std::get_if<TextDelta>(&event)) got += delta->text.size();
        });
        SseParser parser(codec->lines() ? SseParser::Form::lines : SseParser::Form::events);
        const auto decoder = codec->decoder(request);
        for (std::size_t at = 0; at < wire.size(); at += 16'384) {
          parser.feed(std::string_view(wire).substr(at, 16'384),
                      [&](auto name, auto data) { decoder->event(name, data, out); });
          out.flush();
        }
      },
      3);
  std::printf("%-10s %d deltas, %.1f MB: %.1f ms = %.2f M tokens/s%s\n", provider.c_str(), tokens,
              double(wire.size()) / 1e6, all, tokens / all / 1000, got == text.size() ? "" : "  WRONG");
}

void over_http() {
  constexpr int tokens = 200'000;
  std::string text;
  for (int i = 0; i < tokens; ++i) text += i % 20 == 19 ? "word\n" : "word ";
  FakeLlm server(nlohmann::json{{"default", {{"text", text}, {"pieces", 5}}}}.dump());
  const auto provider = make_provider("anthropic", {.base_url = server.url(), .key = "k", .headers = {}});
  const double all = milliseconds_of([&] { run(*provider, simple_request()); }, 3);
  std::printf("over http, server's own work included: %.1f ms = %.2f M tokens/s\n", all, tokens / all / 1000);
  server.scenario("{}");
  const double small = milliseconds_of([&] { run(*provider, simple_request()); }, 50);
  std::printf("one small request on a kept connection: %.3f ms\n", small);
}

}  // namespace

int main() {
  body();
  stream("anthropic", "anthropic");
  stream("openai", "chat");
  stream("responses", "responses");
  stream("gemini", "gemini");
  stream("ollama", "ollama");
  over_http();
}
