// The token of one server while it is used: read from the store, renewed once when it is refused, and never
// asked of a person here.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "agent/mcp/link.h"
#include "agent/mcp/oauth_client.h"

namespace tern {

class OAuthKeeper : public McpTokens {
 public:
  OAuthKeeper(const McpServer& server, std::filesystem::path tokens)
      : client_(server), url_(server.url), store_(std::move(tokens)) {}

  std::string token(std::stop_token stop) override;
  bool refused(int status, std::string_view challenge, const std::string& sent,
               std::stop_token stop) override;

 private:
  bool renew(const std::string& sent, std::stop_token stop);
  void wish(const std::string& scope, std::stop_token stop);

  OAuthClient client_;
  std::string url_;
  OAuthStore store_;
};

}  // namespace tern
