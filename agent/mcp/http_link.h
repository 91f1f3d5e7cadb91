// An MCP server behind an address: each message is a POST, answered by one JSON message or by a stream of
// them. A request runs on its caller's thread. Speaks both eras: sessions, resumption and DELETE in the old
// one, headers that name the call in the new one.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/mcp/headers_helper.h"
#include "agent/mcp/link.h"

namespace tern {

class HttpLink : public McpLink {
 public:
  HttpLink(std::string url, NamedTexts headers, std::chrono::milliseconds patience,
           std::shared_ptr<McpTokens> tokens = nullptr);
  // Asked before the first request and again after a refusal. It says who we are, so no tokens are sent.
  void set_more_headers(MoreHeaders more);
  ~HttpLink() override;  // ends the session at the server, within a moment

  std::string open(LinkEvents events) override;
  std::string send(const Outgoing& message, std::stop_token stop) override;
  void listen(std::stop_token stop, const std::function<void()>& open) override;
  void close() override;
  bool tries_modern_first() const override { return true; }
  void settled(std::string_view version, bool modern) override;
  bool wants_sign_in() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A header's value as it may be sent: what is not plain ASCII travels as =?base64?…?=.
std::string mcp_header_value(std::string_view text);

}  // namespace tern
