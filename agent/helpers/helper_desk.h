// The parent's side of its helpers: the tool Task, what a helper may see and have, and the account of what
// they cost. Belongs to the session's owner; the tool's run() is called on other threads and comes to the
// owner through the inbox.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/compactor/prompt.h"
#include "agent/helpers/helper.h"
#include "agent/turn/agent.h"

namespace tern {

struct HelperSetup {
  std::function<Agent&()> parent;  // called on the owner's thread
  Inbox& inbox;
  const Models& models;  // read on the owner's thread
  std::function<std::unique_ptr<Provider>(const ModelInfo&)> connect;
  StoreOptions store = {};
  AgentFiles agents = {};
  Surroundings where = {};
  std::string memory = {};  // the project's own instructions
  Tokens most = 60'000;     // that enter one helper's conversation; a call may ask for less
  std::function<std::uint64_t()> next_question = {};
};

struct HelperTotals {  // of the open session
  int runs = 0;
  Tokens explored = 0, kept = 0;
  double dollars = 0;
};

// Task as it is known before a session has a desk: its name, schema and effects.
Tool task_tool();

class HelperDesk {
 public:
  explicit HelperDesk(HelperSetup setup) : setup_(std::move(setup)) {}
  HelperDesk(const HelperDesk&) = delete;
  HelperDesk& operator=(const HelperDesk&) = delete;

  Tool tool();
  const AgentFiles& agents() const { return setup_.agents; }
  static HelperTotals totals(const RowStore& store);

 private:
  struct Given {
    ToolSet tools;
    std::string left_out;  // names, for the report
  };
  ToolOutput run(const nlohmann::json& args, ToolContext& ctx);
  bool read_task(const nlohmann::json& args, HelperTask& task, std::vector<std::string>& tools,
                 std::string& error) const;
  Given given(const HelperTask& task, const std::vector<std::string>& asked, const ToolSet& offered) const;
  HelperWorld world(const HelperTask& task, const Given& given, std::string& note);
  ModelInfo model_for(const AgentFile& agent, const ModelInfo& parents, std::string& note);
  HelperDoors doors(ToolContext& ctx);
  void account(const HelperReport& report, Tokens kept);

  // One writing helper at a time: two that edit side by side would fall over each other.
  class Turnstile {
   public:
    bool enter(std::stop_token stop);  // false: stopped
    void leave();

   private:
    std::mutex mutex_;
    std::condition_variable_any free_;
    bool taken_ = false;
  };

  HelperSetup setup_;
  Turnstile writers_;
};

}  // namespace tern
