#include "agent/models/errors.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "agent/models/redact.h"
#include "agent/models/retry_wait.h"
#include "compression/text/plain_text.h"
#include "tools/set/args.h"

namespace tern {
namespace {

using nlohmann::json;

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return contains(text, word); });
}

// Numbers of a message, thousands separators taken out: "213,462 tokens > 200000" → 213462, 200000.
std::vector<Tokens> numbers_of(std::string_view text) {
  std::vector<Tokens> numbers;
  for (std::size_t i = 0; i < text.size();) {
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    Tokens value = 0;
    for (; i < text.size(); ++i) {
      const bool separator =
          text[i] == ',' && i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1]));
      if (!std::isdigit(static_cast<unsigned char>(text[i])) && !separator) break;
      if (!separator && value < 1'000'000'000) value = value * 10 + (text[i] - '0');
    }
    if (value >= 256) numbers.push_back(value);
  }
  return numbers;
}

struct Error {
  std::string message, type, code;
  Tokens prompt = 0, context = 0;  // llama.cpp says them as fields
  std::string delay;               // Google: "2.5s"
  bool of_a_day = false;           // Google: what is used up comes back tomorrow
  bool is_json = false;
};

std::string text_of(const json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || it->is_null()) return {};
  return it->is_string() ? it->get<std::string>() : it->is_primitive() ? it->dump() : std::string();
}

Tokens number_of(const json& object, const char* key) { return int_arg(object, key, 0); }

// Google's list of details: when to come back, and which quota it is.
void take_details(const json& details, Error& error) {
  for (const json& detail : details) {
    if (!detail.is_object()) continue;
    if (auto delay = text_of(detail, "retryDelay"); !delay.empty()) error.delay = delay;
    error.of_a_day |= contains(detail.dump(-1, ' ', false, json::error_handler_t::replace), "PerDay");
  }
}

void take_fields(const json& object, Error& error) {
  error.message = text_of(object, "message");
  error.type = text_of(object, "type");
  error.code = text_of(object, "code");
  if (error.type.empty()) error.type = text_of(object, "status");
  if (auto details = object.find("details"); details != object.end() && details->is_object())
    if (auto code = text_of(*details, "error_code"); !code.empty()) error.code = code;
  if (auto details = object.find("details"); details != object.end() && details->is_array())
    take_details(*details, error);
  error.prompt = number_of(object, "n_prompt_tokens");
  error.context = number_of(object, "n_ctx");
  if (auto meta = object.find("metadata");
      meta != object.end() && meta->is_object())  // OpenRouter: what the vendor said
    if (auto raw = text_of(*meta, "raw"); !raw.empty()) error.message += ": " + raw.substr(0, 400);
}

Error parse_error(std::string_view body) {
  Error error;
  if (nests_too_deep(body)) return error;
  auto parsed = json::parse(body, nullptr, false);
  if (parsed.is_array() && !parsed.empty())
    parsed = json(parsed[0]);  // Gemini without alt=sse answers in an array
  if (!parsed.is_object()) return error;
  error.is_json = true;
  const auto inner = parsed.find("error");
  if (inner != parsed.end() && inner->is_string()) {
    error.message = inner->get<std::string>();
    if (const auto wrapped = json::parse(error.message, nullptr, false);
        wrapped.is_object())  // Ollama hands its runner's on
      return parse_error(error.message);
  } else {
    take_fields(inner != parsed.end() && inner->is_object() ? *inner : parsed, error);
  }
  if (error.message.empty()) error.message = text_of(parsed, "message");
  if (error.message.empty()) error.message = text_of(parsed, "detail");
  return error;
}

std::string one_line(std::string_view text, std::size_t limit = 300) {
  std::string out;
  for (char c : text) {
    const bool blank = static_cast<unsigned char>(c) <= ' ';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
    if (out.size() >= limit) break;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// The words of an HTML page, without its tags.
std::string page_text(std::string_view html) {
  std::string out;
  bool tag = false;
  for (char c : html) {
    if (c == '<')
      tag = true, out += ' ';
    else if (c == '>')
      tag = false;
    else if (!tag)
      out += c;
  }
  return one_line(out, 120);
}

Failure class_of_status(int status) {
  switch (status) {
    case 401:
    case 403: return Failure::auth;
    case 402: return Failure::quota;
    case 408:
    case 409: return Failure::server;
    case 413: return Failure::overflow;
    case 429: return Failure::rate;
    case 503:
    case 529: return Failure::overloaded;
    default: return status >= 500 ? Failure::server : Failure::bad_request;
  }
}

std::optional<Failure> class_of_code(const std::string& type, const std::string& code,
                                     const std::string& message) {
  const std::string all = lowered(type + " " + code);
  if (has_any(all, {"insufficient_quota", "enforced_spend_limit", "usage_not_included", "billing", "credit",
                    "usage_limit_reached"}) ||
      has_any(message, {"credit balance is too low", "insufficient balance",
                        "exceeded your current quota, please check your plan"}))
    return Failure::quota;
  if (has_any(all, {"authentication", "permission_error", "permission_denied", "unauthenticated",
                    "invalid_api_key"}))
    return Failure::auth;
  if (has_any(message, {"api key not valid", "invalid api key", "incorrect api key"})) return Failure::auth;
  if (has_any(all, {"overloaded", "slow_down", "unavailable"})) return Failure::overloaded;
  if (has_any(all, {"rate_limit", "resource_exhausted", "too_many_requests"})) return Failure::rate;
  if (has_any(all, {"api_error", "server_error", "internal", "deadline_exceeded", "timeout_error"}))
    return Failure::server;
  if (has_any(all, {"invalid_request", "invalid_argument", "not_found", "invalid_prompt"}))
    return Failure::bad_request;
  return std::nullopt;
}

bool retryable(Failure kind) {
  return kind == Failure::rate || kind == Failure::overloaded || kind == Failure::server ||
         kind == Failure::network || kind == Failure::timeout || kind == Failure::protocol;
}

std::string_view way_out(Failure kind) {
  switch (kind) {
    case Failure::auth: return "check the key in the environment or the config file";
    case Failure::quota:
      return "the account is out of credit or over its limit: add credit or switch with /model";
    case Failure::rate: return "rate limit: wait a little or switch with /model";
    case Failure::overloaded: return "the service is overloaded: try again later or switch with /model";
    case Failure::server: return "the service has a fault: try again later";
    case Failure::overflow: return "the context is full: /compact or /clear";
    default: return "";
  }
}

std::optional<std::chrono::milliseconds> wait_of(const Error& error) {
  return error.delay.empty() ? wait_in_text(error.message) : read_duration(error.delay);
}

// An error inside a stream that answered 200 says its status as its code.
int status_of(const Error& error, const ErrorSource& source) {
  const int code = std::atoi(error.code.c_str());
  const bool plain = error.code.size() == 3 && code >= 400 && code < 600;
  return source.status == 0 && plain ? code : source.status;
}

// Google calls a limit by the minute a used-up quota, too, and says when to come back.
bool passes_soon(const Error& error) {
  return error.type == "RESOURCE_EXHAUSTED" && !error.of_a_day && wait_of(error).has_value();
}

std::string compose(const Error& error, const ErrorSource& source, Failure kind) {
  std::string said = one_line(error.message);
  if (said.empty() && !error.is_json && !source.body.empty())
    said = "not the API's answer but a page: \"" + page_text(source.body) + "\"";
  if (said.empty()) said = error.type.empty() ? "no explanation" : error.type;
  std::string text = source.status ? "HTTP " + std::to_string(source.status) + ": " + said : said;
  if (!source.request_id.empty()) text += " (request " + one_line(source.request_id, 80) + ")";
  std::string way(way_out(kind));
  if (kind == Failure::auth && !source.key_from.empty())
    way = "check the key in " + std::string(source.key_from);
  else if (kind == Failure::auth && !source.key_wanted.empty())
    way = "no key was sent: set " + std::string(source.key_wanted);
  if (!way.empty()) text += " — " + way;
  return redact_shapes(std::move(text));
}

// The output wish is too large, not the input: what would fit, in the words of the services. Zero when that
// is not the matter.
Tokens output_that_fits(const std::string& message) {
  const auto n = numbers_of(message);
  if (contains(message, "max_tokens") && contains(message, "exceed context limit") &&
      n.size() >= 3)  // 188240 + 21333 > 200000
    return std::max<Tokens>(n[2] - n[0] - 64, 0);
  if (contains(message, "in the messages") && contains(message, "in the completion") &&
      n.size() >= 4)  // limit, all, messages, completion
    return std::max<Tokens>(n[0] - n[2] - 64, 0);
  if (contains(message, "is too large") && contains(message, "input tokens") &&
      n.size() >= 3)  // wish, limit, input
    return std::max<Tokens>(n[1] - n[2] - 64, 0);
  const bool bound = has_any(message, {"at most", "valid range", "maximum allowed number of output tokens"});
  if (has_any(message, {"max_tokens", "max_completion_tokens", "completion tokens", "max_output_tokens"}) &&
      bound && !n.empty())
    return *std::min_element(n.begin(), n.end());
  return 0;
}

ThoughtTrouble thought_trouble(const std::string& message, const std::string& code) {
  const bool field = contains(message, "block_binding") &&
                     has_any(message, {"extra inputs", "unknown", "unrecognized", "header"});
  if (field || contains(message, "thinking-binding-controls")) return ThoughtTrouble::field;
  if (has_any(message, {"bound to a different conversation", "thought signature", "thought_signature"}) ||
      code == "invalid_encrypted_content")
    return ThoughtTrouble::thought;
  const bool thinking = contains(message, "thinking") &&
                        has_any(message, {"signature", "cannot be modified", "must start with", "but found"});
  return thinking ? ThoughtTrouble::thought : ThoughtTrouble::none;
}

// Too much of what is no text: each phrase is the wording of one service.
bool minds_attachments(const std::string& message) {
  return has_any(message,
                 {
                     "image dimensions exceed",    // Anthropic: 2,000 pixels when there are many, 8,000 else
                     "too much media",             // Anthropic: 100 pictures and pages
                     "pdf pages may be provided",  // Anthropic
                     "image exceeds",              // Anthropic: 5 MB each
                     "too many images",            // OpenAI, Mistral, Groq
                     "maximum number of images",   // vLLM
                     "images per prompt",          // vLLM
                     "total image size",           // OpenAI
                     "payload size exceeds"        // Gemini: 20 MB
                 });
}

RequestError classify(const Error& error, const ErrorSource& source) {
  const std::string message = lowered(error.message);
  const int status = status_of(error, source);
  RequestError trouble{.http_status = status};
  trouble.kind = status >= 400 ? class_of_status(status) : Failure::server;
  if (auto kind = class_of_code(error.type, error.code, message);
      kind && (status == 0 || *kind == Failure::quota || *kind == Failure::auth || status == 400))
    trouble.kind = *kind;
  if (trouble.kind == Failure::quota && passes_soon(error)) trouble.kind = Failure::rate;
  if (status == 413 && contains(message, "rate")) trouble.kind = Failure::rate;  // Groq: tokens per minute
  if (trouble.kind != Failure::quota && trouble.kind != Failure::auth)
    if (auto full = detect_overflow(status, error.type + " " + error.code, error.message))
      trouble.kind = Failure::overflow, trouble.limit = full->limit, trouble.asked = full->asked;
  if (status >= 400 && status < 500 && status != 429 && minds_attachments(message)) {
    trouble.kind = Failure::overflow;
    trouble.limit = trouble.asked = 0;
    trouble.attachments = true;
  }
  if (error.context > 0) trouble.limit = error.context, trouble.asked = error.prompt;
  trouble.fitting_output = output_that_fits(message);
  if (status == 400) trouble.thoughts = thought_trouble(message, error.code);
  trouble.retry = retryable(trouble.kind);
  trouble.message = compose(error, source, trouble.kind);
  return trouble;
}

}  // namespace

std::optional<Overflow> detect_overflow(int status, std::string_view code, std::string_view text) {
  const std::string message = lowered(text);
  // Each line is the wording of one family of servers.
  static constexpr std::array<std::string_view, 24> phrases{
      "prompt is too long",                    // Anthropic
      "exceed context limit",                  // Anthropic, input + max_tokens
      "input is too long for",                 // Bedrock
      "maximum context length",                // OpenAI, vLLM, OpenRouter, DeepSeek
      "exceeds the context window",            // OpenAI responses
      "context_length_exceeded",               // codes quoted in texts
      "exceeds the maximum number of tokens",  // Gemini
      "maximum prompt length",                 // xAI
      "reduce the length of the messages",     // Groq
      "exceeds the limit of",                  // Copilot
      "exceeds the available context size",    // llama.cpp
      "greater than the context length",       // LM Studio
      "context length of only",                // LM Studio
      "context window exceeds limit",          // MiniMax
      "exceeded model token limit",            // Kimi
      "too large for model with",              // Mistral
      "exceeded max context length",           // Ollama
      "exceeds context length",                // Ollama
      "exceeds maximum context",               // Ollama
      "input length exceeds",                  // Ollama
      "longer than the maximum model length",  // vLLM
      "model_context_window_exceeded",         // z.ai, Anthropic stop reason
      "token limit exceeded",
      "too many tokens in"};
  const bool by_code = has_any(code, {"context_length_exceeded", "exceed_context_size", "request_too_large",
                                      "model_context_window_exceeded", "string_above_max_length"});
  const bool by_text =
      std::any_of(phrases.begin(), phrases.end(), [&](auto phrase) { return contains(message, phrase); });
  const bool throttled =
      status == 429 || has_any(message, {"rate limit", "per minute", "per day", "throttl"});
  if (!by_code && (!by_text || throttled) && status != 413) return std::nullopt;
  if (throttled && status == 413) return std::nullopt;
  const auto numbers = numbers_of(message);
  if (contains(message, "length by ")) return Overflow{0, 0};  // Ollama only says by how much
  if (numbers.size() < 2) return Overflow{numbers.empty() ? 0 : numbers[0], 0};
  if (contains(message, "exceed context limit") && numbers.size() >= 3)
    return Overflow{numbers[2], numbers[0] + numbers[1]};
  return Overflow{std::min(numbers[0], numbers[1]), std::max(numbers[0], numbers[1])};
}

static RequestError give_up_if_long(RequestError trouble) {
  if (!trouble.retry || !trouble.wait || *trouble.wait <= longest_wait) return trouble;
  trouble.retry = false;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*trouble.wait).count();
  trouble.message += " (the service asks to wait " + std::to_string(seconds) + " s)";
  return trouble;
}

RequestError request_error_of(const ErrorSource& source) {
  const Error error = parse_error(source.body);
  RequestError trouble = classify(error, source);
  trouble.wait = parse_retry_after(source.retry_after, source.retry_after_ms, source.now);
  if (!trouble.wait && trouble.kind == Failure::rate) trouble.wait = wait_of(error);
  return give_up_if_long(std::move(trouble));
}

RequestError request_error_of_event(std::string_view error_json) {
  const Error error = parse_error(error_json);
  RequestError trouble = classify(error, {});
  if (trouble.kind == Failure::rate) trouble.wait = wait_of(error);
  return give_up_if_long(std::move(trouble));
}

}  // namespace tern
