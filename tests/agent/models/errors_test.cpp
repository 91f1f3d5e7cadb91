#include "agent/models/errors.h"

#include <catch2/catch_test_macros.hpp>

#include "agent/models/retry_wait.h"

using namespace tern;
using namespace std::chrono_literals;

TEST_CASE("every known wording of a full context is recognised") {
  struct Row {
    int status;
    const char *code, *message;
    Tokens limit, asked;
  };
  for (const Row& row : {
           Row{400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum", 200000,
               213462},
           Row{400, "",
               "input length and `max_tokens` exceed context limit: 190240 + 21333 > 200000, decrease input "
               "length",
               200000, 211573},
           Row{400, "context_length_exceeded",
               "This model's maximum context length is 128000 tokens. However, your messages resulted in "
               "131,072 tokens.",
               128000, 131072},
           Row{0, "context_length_exceeded",
               "Your input exceeds the context window of this model. Please adjust your input and try again.",
               0, 0},
           Row{400, "INVALID_ARGUMENT",
               "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
               1048575, 1196265},
           Row{400, "exceed_context_size_error",
               "the request exceeds the available context size, try increasing it", 0, 0},
           Row{500, "exceed_context_size_error", "the request exceeds the available context size", 0, 0},
           Row{400, "", "prompt too long; exceeded max context length by 4 tokens", 0, 0},
           Row{400, "", "prompt too long; exceeded max context length by 5200 tokens", 0, 0},
           Row{400, "", "Input is too long for requested model.", 0, 0},
           Row{400, "",
               "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131072,
               537812},
           Row{400, "", "Please reduce the length of the messages or completion.", 0, 0},
           Row{400, "",
               "The number of tokens to keep from the initial prompt is greater than the context length", 0,
               0},
           Row{400, "", "Your request exceeded model token limit: 262144", 262144, 0},
           Row{400, "",
               "Prompt contains 140000 tokens, too large for model with 131072 maximum context length",
               131072, 140000},
           Row{400, "", "invalid params, context window exceeds limit", 0, 0},
           Row{413, "request_too_large", "Request exceeds the maximum size", 0, 0},
           Row{413, "", "", 0, 0},
       }) {
    INFO(row.message);
    const auto full = detect_overflow(row.status, row.code, row.message);
    REQUIRE(full);
    CHECK(full->limit == row.limit);
    CHECK(full->asked == row.asked);
  }
}

TEST_CASE("an error that another server hands on as text is read as what it is") {
  const auto trouble = request_error_of(
      {.status = 400,
       .body =
           R"({"error":"{\"error\":{\"code\":400,\"message\":\"request (3510 tokens) exceeds the available context size (2560 tokens), try increasing it\",\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":3510,\"n_ctx\":2560}}"})"});
  CHECK(trouble.kind == Failure::overflow);
  CHECK(trouble.limit == 2560);
  CHECK(trouble.asked == 3510);
  CHECK(trouble.message.find("request (3510 tokens)") != std::string::npos);
  CHECK(trouble.message.find("n_ctx") == std::string::npos);
}

TEST_CASE("a request refused for its pictures is told apart from one that is too long") {
  for (const char* message :
       {"messages.4.content.1.image.source.base64.data: At least one of the image dimensions exceed max "
        "allowed size for "
        "many-image "
        "requests: 2000 pixels",
        "messages.2.content.0.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes",
        "Too much media: 0 document pages + 101 images > 100", "A maximum of 100 PDF pages may be provided.",
        "Request payload size exceeds the limit: 20971520 bytes."}) {
    INFO(message);
    const auto body =
        R"({"error":{"type":"invalid_request_error","message":")" + std::string(message) + R"("}})";
    const auto trouble = request_error_of({.status = 400, .body = body});
    CHECK(trouble.kind == Failure::overflow);
    CHECK(trouble.attachments);
    CHECK(trouble.limit == 0);
    CHECK(trouble.asked == 0);
  }
  const auto length = request_error_of(
      {.status = 400, .body = R"({"error":{"message":"prompt is too long: 300000 tokens > 200000"}})"});
  CHECK(length.kind == Failure::overflow);
  CHECK_FALSE(length.attachments);
}

TEST_CASE("a throttle is not an overflow") {
  CHECK(!detect_overflow(429, "rate_limit_error",
                         "This request would exceed the limit of 40000 input tokens per minute"));
  CHECK(!detect_overflow(400, "", "Throttling: too many tokens in this minute, rate limit"));
  CHECK(
      !detect_overflow(413, "rate_limit_exceeded",
                       "Request too large for model on tokens per minute (TPM): Limit 6000, Requested 8000"));
  CHECK(!detect_overflow(400, "invalid_request_error", "messages.1: all fine here"));
}

TEST_CASE("retry-after is read as seconds, date and milliseconds") {
  const std::chrono::sys_seconds now{784111777s};
  CHECK(parse_retry_after("7", "", now) == 7000ms);
  CHECK(parse_retry_after("0.5", "", now) == 500ms);
  CHECK(parse_retry_after("", "1500", now) == 1500ms);
  CHECK(parse_retry_after("7", "250", now) == 250ms);
  CHECK(parse_retry_after("Sun, 06 Nov 1994 08:49:47 GMT", "", now) == 10'000ms);
  CHECK(parse_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", "", now) == 0ms);
  CHECK(!parse_retry_after("", "", now));
  CHECK(!parse_retry_after("soon", "", now));
  CHECK(!parse_retry_after("-5", "", now));
}

TEST_CASE("classes decide what happens next") {
  struct Row {
    int status;
    const char* body;
    Failure kind;
    bool retry;
  };
  for (
      const Row& row : {
          Row{429, R"({"error":{"type":"rate_limit_error","message":"slow"}})", Failure::rate, true},
          Row{429,
              R"({"error":{"code":"insufficient_quota","message":"You exceeded your current quota, please check your plan and billing details."}})",
              Failure::quota, false},
          Row{400,
              R"({"error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API"}})",
              Failure::quota, false},
          Row{400,
              R"({"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}})",
              Failure::auth, false},
          Row{401, "", Failure::auth, false},
          Row{402, "", Failure::quota, false},
          Row{408, "", Failure::server, true},
          Row{409, "", Failure::server, true},
          Row{500, "oops", Failure::server, true},
          Row{502, "<html><h1>Bad Gateway</h1></html>", Failure::server, true},
          Row{503, "", Failure::overloaded, true},
          Row{529, "", Failure::overloaded, true},
          Row{404, R"({"error":"model 'x' not found"})", Failure::bad_request, false},
          Row{400, R"([{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}])",
              Failure::bad_request, false},
      }) {
    INFO(row.status << " " << row.body);
    const RequestError trouble = request_error_of(
        {.status = row.status, .body = row.body, .retry_after = {}, .retry_after_ms = {}, .request_id = {}});
    CHECK(trouble.kind == row.kind);
    CHECK(trouble.retry == row.retry);
    CHECK(!trouble.message.empty());
  }
}

TEST_CASE("a wait in the text counts where no header says it; a long one is for the person") {
  const RequestError text = request_error_of(
      {.status = 429,
       .body = R"({"error":{"code":"rate_limit_exceeded","message":"Please try again in 11.054s."}})",
       .retry_after = {},
       .retry_after_ms = {},
       .request_id = {}});
  CHECK(text.wait == 11054ms);
  const RequestError lengthy = request_error_of(
      {.status = 429, .body = "{}", .retry_after = "600", .retry_after_ms = {}, .request_id = "req_1"});
  CHECK(!lengthy.retry);
  CHECK(lengthy.message.find("600 s") != std::string::npos);
  CHECK(lengthy.message.find("req_1") != std::string::npos);
}

TEST_CASE("a wait is read in hours, minutes and seconds together") {
  const auto wait = [](const std::string& said) {
    const std::string body =
        R"({"error":{"code":"rate_limit_exceeded","message":"Rate limit reached. Please )" + said + "\"}}";
    return request_error_of(
        {.status = 429, .body = body, .retry_after = {}, .retry_after_ms = {}, .request_id = {}});
  };
  CHECK(wait("try again in 1h12m3.5s.").wait == 4'323'500ms);
  CHECK_FALSE(wait("try again in 1h12m3.5s.").retry);
  CHECK(wait("try again in 6m0s.").wait == 360'000ms);
  CHECK(wait("try again in 250ms. Visit 3 pages").wait == 250ms);
  CHECK(wait("try again in 20 seconds.").wait == 20'000ms);
  CHECK(wait("try again in 1.5 minutes").wait == 90'000ms);
  CHECK(wait("try again in 7").wait == 7'000ms);
  CHECK(wait("try again in a while").wait == std::nullopt);
}

TEST_CASE("Google's limit by the minute passes, its limit by the day does not") {
  const auto trouble = [](const std::string& details, const std::string& more) {
    const std::string body =
        R"({"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.)" +
        more + R"(","status":"RESOURCE_EXHAUSTED","details":[)" + details + "]}}";
    return request_error_of(
        {.status = 429, .body = body, .retry_after = {}, .retry_after_ms = {}, .request_id = {}});
  };
  const std::string minute = R"({"violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel"}]})",
                    day =
                        R"({"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]})",
                    delay = R"({"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"12.5s"})";
  CHECK(trouble(minute + "," + delay, "").kind == Failure::rate);
  CHECK(trouble(minute + "," + delay, "").wait == 12'500ms);
  CHECK(trouble(minute, " Please retry in 2.5s.").wait == 2'500ms);
  CHECK(trouble(minute, " Please retry in 2.5s.").retry);
  CHECK(trouble(day + "," + delay, "").kind == Failure::quota);
  CHECK(trouble(minute, "").kind == Failure::quota);
}

TEST_CASE("what is minded about a thought sent back is told apart") {
  const auto minded = [](const std::string& message, const std::string& code = "x") {
    const std::string body = R"({"error":{"code":")" + code + R"(","message":")" + message + "\"}}";
    return request_error_of(
               {.status = 400, .body = body, .retry_after = {}, .retry_after_ms = {}, .request_id = {}})
        .thoughts;
  };
  for (const char* words :
       {"messages.1.content.0: Invalid `signature` in `thinking` block", "Corrupted thought signature.",
        "The block is bound to a different conversation. Set "
        "`thinking.block_binding.prefix_mismatch_behavior`",
        "Expected `thinking` or `redacted_thinking`, but found `tool_use`",
        "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified"})
    CHECK(minded(words) == ThoughtTrouble::thought);
  CHECK(minded("The encrypted content gAAA could not be verified", "invalid_encrypted_content") ==
        ThoughtTrouble::thought);
  CHECK(minded("thinking.adaptive.block_binding: Extra inputs are not permitted") == ThoughtTrouble::field);
  CHECK(minded("Unexpected value(s) `thinking-binding-controls-2026-08-01` for the header") ==
        ThoughtTrouble::field);
  CHECK(minded("max_tokens must be greater than thinking.budget_tokens") == ThoughtTrouble::none);
}

TEST_CASE("errors inside a stream have the same classes") {
  CHECK(request_error_of_event(R"({"error":{"code":402,"message":"Insufficient credits"}})").kind ==
        Failure::quota);
  CHECK(request_error_of_event(R"({"error":{"code":429,"message":"slow"}})").kind == Failure::rate);
  CHECK(request_error_of_event(R"({"error":{"code":502,"message":"Provider disconnected"}})").retry);
  CHECK_FALSE(request_error_of_event(R"({"error":{"code":400,"message":"no such parameter"}})").retry);
  CHECK(request_error_of_event(R"({"error":{"code":401,"message":"x"}})").kind == Failure::auth);
  CHECK(
      request_error_of_event(R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})")
          .kind == Failure::overloaded);
  CHECK(
      request_error_of_event(
          R"({"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."})")
          .kind == Failure::overflow);
  CHECK(request_error_of_event(R"({"code":"server_error","message":"x"})").retry);
  CHECK(!request_error_of_event(R"({"code":"invalid_prompt","message":"x"})").retry);
}

TEST_CASE("an output wish that is too large is told apart, with what would fit") {
  const auto fits = [](const std::string& message) {
    const std::string body = R"({"error":{"type":"invalid_request_error","message":")" + message + "\"}}";
    return request_error_of(
               {.status = 400, .body = body, .retry_after = {}, .retry_after_ms = {}, .request_id = {}})
        .fitting_output;
  };
  CHECK(fits("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease") ==
        200000 - 188240 - 64);
  CHECK(fits("This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (1000 "
             "in the messages, 4000 "
             "in the completion).") == 4096 - 1000 - 64);
  CHECK(fits("'max_tokens' or 'max_completion_tokens' is too large: 20000. This model's maximum context "
             "length is 32768 tokens "
             "and your request has 15000 input tokens (20000 > 32768 - 15000).") == 32768 - 15000 - 64);
  CHECK(fits("max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas "
             "you provided 32000.") == 16384);
  CHECK(fits("max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for this "
             "model") == 64000);
  CHECK(fits("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]") == 8192);
  CHECK(fits("prompt is too long: 213462 tokens > 200000 maximum") == 0);
}

TEST_CASE("a refused key is looked for where it came from") {
  const ErrorSource source{
      .status = 401, .body = R"({"error":{"message":"invalid x-api-key"}})", .key_from = "ANTHROPIC_API_KEY"};
  const auto trouble = request_error_of(source);
  CHECK(trouble.kind == Failure::auth);
  CHECK(trouble.message == "HTTP 401: invalid x-api-key — check the key in ANTHROPIC_API_KEY");
}
