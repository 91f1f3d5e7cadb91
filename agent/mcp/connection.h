// One configured server over its life: started in the background, its lists read and read again when they
// change, started anew with growing pauses when it ends, ended with the session. One thread keeps it; every
// call is safe from any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/mcp/client.h"
#include "agent/mcp/offerings.h"
#include "agent/mcp/server_entry.h"
#include "tools/set/tool.h"

namespace tern {

enum class McpPhase { off, unapproved, starting, ready, failed };

struct McpState {
  McpServer server;
  McpPhase phase = McpPhase::off;
  std::string why;  // of failed
  bool wants_sign_in = false;
  McpServerInfo info;
  McpEra era = McpEra::unknown;
  std::vector<McpToolInfo> tools;  // of all lists the old one, until the new one is whole
  std::vector<McpPrompt> prompts;
  std::vector<McpResource> resources;  // then templates
  std::vector<std::string> log;        // the last lines of what it reports
  std::string trouble;                 // why a list is not whole
  std::string last_words;              // the end of its stderr
  int starts = 0;
};

struct McpPauses {
  std::chrono::milliseconds first{1'000}, longest{60'000};  // before it is started anew
  std::chrono::milliseconds settle{200};                    // after the notice of a change
  int most_failures = 4;                                    // in a row; then it waits for restart()
};

class McpConnection {
 public:
  using MakeLink = std::function<std::unique_ptr<McpLink>(const McpServer&)>;
  struct World {
    MakeLink make_link;
    McpClientSettings settings;  // version, roots
    McpPauses pauses = {};
    std::function<nlohmann::json(const std::string& server, const nlohmann::json& params,
                                 std::stop_token stop)>
        on_question = nullptr;
    std::function<void(const std::string& server)> on_change = [](const std::string&) {
    };  // its state is another one; any thread
  };

  McpConnection(McpServer server, World world);
  ~McpConnection();

  void start();    // in the background; does nothing when it runs
  void restart();  // at once, also after it has failed
  void stop();     // returns at once
  void end();      // stops it and waits until it calls `on_change` no more
  void set_phase(McpPhase phase);
  McpState state() const;              // a copy, of all lists
  const McpServer& server() const;     // as it was given; `sandboxed` is that of state()
  void set_sandboxed(bool sandboxed);  // from its next start on
  // Calls a tool; waits for a server that is only starting, and starts one that has ended and rests.
  ToolOutput call(const std::string& tool, const nlohmann::json& args, ToolContext& ctx);
  ToolOutput read_resource(const std::string& uri, ToolContext& ctx);
  // The result of any other method; its failure says which server it is of.
  McpAnswer ask(const std::string& method, nlohmann::json params, const McpAsk& how);
  bool wait_ready(std::stop_token stop, std::chrono::milliseconds limit);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tern
