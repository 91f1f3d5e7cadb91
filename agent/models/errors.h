// What went wrong with a request, as a class that decides what happens next: retry, compact, ask, give up.
// Knows the error bodies of each provider, and every known way to say "the context is full".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "agent/models/provider.h"

namespace tern {

// What the service minds about thoughts sent back: one of them, or the field that lets it drop those that do
// not fit.
enum class ThoughtTrouble { none, thought, field };

struct RequestError {
  Failure kind = Failure::network;
  std::string message = {};  // for people, redacted
  bool retry = false;
  bool refused = false;                                // nothing listens on this machine's port
  std::optional<std::chrono::milliseconds> wait = {};  // the server said how long
  Tokens limit = 0, asked = 0;                         // overflow
  bool attachments = false;                            // overflow by pictures or documents, not by tokens
  Tokens fitting_output = 0;  // input fits, input + max_output does not: ask for this much
  int http_status = 0;
  ThoughtTrouble thoughts = ThoughtTrouble::none;
};

struct ErrorSource {
  int status = 0;         // HTTP, 0 = an error event inside a stream
  std::string_view body;  // JSON, HTML or nothing
  std::string_view retry_after, retry_after_ms, request_id;
  std::string_view key_from;       // where a refused key comes from; empty = not known
  std::string_view key_wanted;     // none was sent: the variable that would hold one
  std::chrono::sys_seconds now{};  // for retry-after dates
};
RequestError request_error_of(const ErrorSource& source);
// An error object taken out of a stream: {"type"/"code"/"status": …, "message": …}.
RequestError request_error_of_event(std::string_view error_json);

struct Overflow {
  Tokens limit = 0, asked = 0;
};
std::optional<Overflow> detect_overflow(int status, std::string_view code, std::string_view message);

constexpr std::chrono::seconds longest_wait{60};  // a server asking for more is for the person to decide

}  // namespace tern
