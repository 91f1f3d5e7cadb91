// The language servers of a session. A server starts when a file in its language is read or about to be
// changed, in a project that is in this language; until then there is no process. After a change the model is
// told the errors that are new in the file, and nothing when there are none.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/lsp/lsp_server.h"
#include "tools/exec/process.h"
#include "tools/set/tool.h"
#include "tools/workspace/workspace.h"

namespace tern {

struct LspWorld {
  std::vector<LanguageServer> servers;  // that may be used, the user's own first
  std::filesystem::path root;
  std::string search_path;                                      // $PATH
  std::vector<std::string> allowed_env;                         // more variables a child of ours may see
  std::function<Sandbox()> sandbox = [] { return Sandbox{}; };  // of a server; any thread
  std::string version;                                          // of this program
  std::chrono::milliseconds patience{1'500};                    // after a change
  std::chrono::milliseconds long_patience{15'000};              // of the tool that asks
  std::chrono::milliseconds settle{100};
  std::function<bool()> may_start = [] {
    return true;
  };  // false: there is no sandbox, and the user wants one
  std::function<std::unique_ptr<McpLink>(ProcessSpec)> make_link = nullptr;  // set by tests
};

struct LspNews {
  std::string text;        // for the model; empty: nothing new
  std::size_t errors = 0;  // in it
};

// Safe from any thread.
class LspDesk {
 public:
  explicit LspDesk(LspWorld world);
  ~LspDesk();

  // A call reads the file or is about to change it: its server starts and reads it as it is. Returns at once.
  void expect(const Workspace& workspace, const std::string& path);
  // It was changed. Waits at most `patience`.
  LspNews changed(const Workspace& workspace, const std::string& path, std::stop_token stop);
  // Everything that is wrong in a file, for the tool.
  ToolOutput ask(const Workspace& workspace, const Place& place, std::stop_token stop);

  bool useful() const;                            // a server for this project is installed
  std::string command(const std::string& words);  // "/lsp …": what it did, and the page

 private:
  std::shared_ptr<LspServer> server_of(const std::filesystem::path& file, std::string& why);
  std::shared_ptr<LspServer> start(const LanguageServer& row) const;
  static void refresh_others(LspServer& server, const Workspace& workspace,
                             const std::filesystem::path& except);
  LspNews news(const std::filesystem::path& file, const std::vector<Diagnostic>& now,
               const std::string& name);
  std::string page() const;

  LspWorld world_;
  mutable std::mutex mutex_;  // guards all below
  bool on_ = true;
  std::map<std::string, std::shared_ptr<LspServer>> running_;  // by the name of the row
  std::map<std::string, int> starts_;
  std::map<std::filesystem::path, std::vector<Diagnostic>>
      known_;                               // what was wrong when a file was last told of
  std::set<std::filesystem::path> unsure_;  // changed before anything was known of them
};

// Diagnostics{path}.
Tool diagnostics_tool(std::shared_ptr<LspDesk> desk);

}  // namespace tern
