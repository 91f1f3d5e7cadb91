// The way to one MCP server: messages out, messages in. Two kinds: a child process on stdio, an address over
// HTTP.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

inline constexpr std::size_t largest_message = 8u
                                               << 20;  // of a server; what is larger is counted and dropped

struct Outgoing {
  std::string text;    // one JSON-RPC message
  std::string method;  // empty: an answer
  std::string name;    // of the tool or prompt, or the URI, for the headers of HTTP
  std::vector<std::pair<std::string, std::string>> headers = {};  // arguments that travel as such, too
  bool wants_answer = false;
  std::int64_t id = 0;                                    // of a request
  std::function<bool()> answered = [] { return false; };  // its answer has come
};

// Called on any thread, also while send() runs; never after the link is destroyed.
struct LinkEvents {
  std::function<void(std::string)> on_message;
  // One larger than largest_message: its first and last bytes, by which it may be known.
  std::function<void(std::string_view head, std::string_view tail)> on_oversized;
  std::function<void(std::string why)> on_end;  // the server is gone; once, and not after close()
};

// Where the tokens of a link come from.
class McpTokens {
 public:
  McpTokens() = default;
  McpTokens(const McpTokens&) = delete;
  McpTokens& operator=(const McpTokens&) = delete;
  virtual ~McpTokens() = default;
  virtual std::string token(std::stop_token stop) = 0;  // empty: none
  // A request with the token `sent` was refused. True: there is another one now, and the request may be sent
  // again.
  virtual bool refused(int status, std::string_view challenge, const std::string& sent,
                       std::stop_token stop) = 0;
};

class McpLink {
 public:
  McpLink() = default;
  McpLink(const McpLink&) = delete;
  McpLink& operator=(const McpLink&) = delete;
  virtual ~McpLink() = default;  // ends what is left, within about 3 s

  virtual std::string open(LinkEvents events) = 0;  // empty, or why there is no way
  // Empty when it is on its way. Over HTTP it returns when the answer has come.
  virtual std::string send(const Outgoing& message, std::stop_token stop) = 0;
  virtual void close() = 0;  // returns at once; what it starts is waited for by the destructor
  virtual bool tries_modern_first() const = 0;
  // Hears what the server says unasked until `stop`; returns at once where that needs no way of its own.
  // `open` is called each time the way for it is.
  virtual void listen(std::stop_token stop, const std::function<void()>& open) { (void)stop, (void)open; }
  // The version both sides settled on, for headers.
  virtual void settled(std::string_view version, bool modern) { (void)version, (void)modern; }
  virtual bool wants_sign_in() const {
    return false;
  }  // the last refusal was for want of a token, or of a better one
  virtual std::string last_words() const {
    return {};
  }  // the end of what the server wrote beside the protocol
};

}  // namespace tern
