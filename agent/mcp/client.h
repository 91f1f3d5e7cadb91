// One connection to an MCP server, of either era: opens it, asks, matches answers, answers what the server
// asks. Safe from any thread: a request blocks its caller alone. What a server says is text to be judged,
// never an order.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "agent/mcp/client_values.h"
#include "agent/mcp/link.h"

namespace tern {

struct McpClientState;

class McpClient {
 public:
  McpClient(std::unique_ptr<McpLink> link, McpClientSettings settings);
  ~McpClient();

  std::string open(std::stop_token stop);  // empty, or why there is no connection
  void close();                            // returns at once; every request fails

  McpAnswer request(const std::string& method, nlohmann::json params, const McpAsk& ask = {});
  // All pages of "tools/list", "resources/list" …; `member` names the array in the result.
  McpList list(const std::string& method, const char* member, const McpAsk& ask = {});

  // Starts to receive the server's own messages. Over HTTP that takes a second stream: this waits a moment
  // until it is open, because a question sent before then would be lost.
  void listen();

  McpEra era() const;
  const McpServerInfo& info() const;  // once it is open
  bool offers(const char* capability) const;
  std::string last_words() const;
  bool wants_sign_in() const;

 private:
  std::unique_ptr<McpClientState> state_;
};

}  // namespace tern
