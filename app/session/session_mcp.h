// The MCP servers of a session, as the session's owner sees them: which count, what the model is offered of
// them, what people are told.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "agent/mcp/approvals.h"
#include "agent/mcp/hub.h"
#include "agent/mcp/sign_in.h"
#include "agent/turn/tool_calls.h"
#include "app/session/question_desk.h"
#include "app/session/session_setup.h"

namespace tern {

class SessionMcp {
 public:
  using Tell = std::function<void(Notice)>;
  // Reads the project's .mcp.json when the folder is trusted. Starts nothing.
  SessionMcp(const SessionSetup& setup, const std::filesystem::path& root, bool trusted, Tell tell);
  ~SessionMcp();

  // When there are servers: the two constant tools, and what entries say of single tools.
  void offer(ToolEnvironment& hands, McpAttend attend);
  void start(std::function<void()> on_change);  // in the background; on_change may come on any thread
  void join(
      ToolEnvironment& hands,
      Context& context);  // before a prompt goes out: the first time, tools that fit the budget are declared
  void tell_news();       // failures of servers, each once; how a sign-in goes
  std::string command(const std::string& words);  // "/mcp …": what it did, and the page
  // What they take in the context, for /context; empty without servers.
  std::string share(const Context& context) const;

  // What servers ask the person. Asked now, unless another question is on the screen.
  void serve_questions(const QuestionDesk::Ask& ask);
  void saw(const Event& event);

  // Their prompts as commands, and their resources as names that begin with '@'.
  void list(std::vector<BroughtCommand>& commands) const;
  bool lists_changed();  // since the last call
  bool names_prompt(std::string_view command) const;
  // "/server:prompt words" becomes what the server makes of it; what "@server:uri" names is read into the
  // text. Empty, or why the prompt cannot go out. `ask` gets what a prompt needs and was not given; null:
  // nobody can be asked.
  std::string fill(Submit& input, const McpAttend& attend,
                   const std::function<UserAnswer(const UserQuestion&)>& ask,
                   const std::filesystem::path& folder) const;

 private:
  struct Login {
    std::unique_ptr<SignIn> way;
    std::jthread thread;
  };
  std::string page() const;
  std::string words_for(const McpState& state) const;
  std::string cost_of(const McpState& state) const;
  std::string details(const McpState& state) const;
  std::string decide(const McpState& state, EntryAnswer answer);
  std::string turn_tool(const McpState& state, const std::string& tool, bool on);
  std::string sign_in(const McpState& state, const std::string& pasted);
  std::string sign_out(const McpState& state);
  std::string fill_prompt(Submit& input, const McpAttend& attend,
                          const std::function<UserAnswer(const UserQuestion&)>& ask,
                          const std::filesystem::path& folder) const;
  void read_mentions(Submit& input, const McpAttend& attend, const std::filesystem::path& folder) const;
  void tell_later(Notice told);  // any thread
  void wake() const;

  const SessionSetup& setup_;
  std::filesystem::path root_;
  Tell tell_;
  McpApprovals approvals_;
  McpServers servers_;
  std::function<void()> on_change_;
  QuestionDesk desk_;
  int open_questions_ = 0;
  std::mutex later_mutex_;
  std::vector<Notice> later_;
  std::unique_ptr<McpHub> hub_;  // null without servers
  std::set<std::string> told_;   // failures
  std::string listed_;
  bool declared_ = false;
  std::set<std::string> in_requests_;    // servers whose tools are declared
  std::vector<std::string> disabled_;    // "tools.disabled" as it is kept
  std::map<std::string, Login> logins_;  // go first: their threads tell of their end
};

// $XDG_STATE_HOME/tern/approved or below ~/.local/state; empty without a home.
std::filesystem::path default_approvals_file();

// The servers of a project's .mcp.json; none when there is no such file.
McpServers project_mcp_servers(const std::filesystem::path& root);

// The variables of this process.
Variables process_variables();

}  // namespace tern
