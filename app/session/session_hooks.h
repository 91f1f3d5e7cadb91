// The hooks of a session, as its owner sees them: where they come from, what they are told of the session,
// and what people are shown.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "agent/compactor/compactor.h"
#include "agent/hooks/hook_runner.h"
#include "agent/turn/tool_calls.h"
#include "app/session/session_setup.h"

namespace tern {

class SessionHooks {
 public:
  struct World {
    HookWorld hooks;                                           // but for the folder and the environment
    std::function<std::string(const std::string& text)> keep;  // as an original: its recall id
    std::function<void(const std::string& title)>
        call_it;                           // sessionTitle: a name for a session that has none
    std::function<std::string()> title;    // its name, if it has one
    std::function<std::string()> context;  // JSON object: how things stand when a session begins
  };
  // Reads the project's settings when the folder is trusted. Runs nothing.
  SessionHooks(const SessionSetup& setup, const std::filesystem::path& root, bool trusted, World world);

  void join(ToolEnvironment& hands, Compactor& compactor);  // these ask from now on; both outlive this
  void started(const std::string& how);                     // startup, resume, clear, fork, compact
  void ended(const std::string& why);
  void saw(const Event& event);                                              // questions become notifications
  std::string model_refused(const Context& context, const ModelName& next);  // empty: it may be used
  std::string command(const std::string& words);  // "/hooks …": what it did, and the page

 private:
  HookAnswer ask(const HookCall& call, std::stop_token stop);
  void attach();
  CompactionSteering before(const CompactionIntent& intent);
  void after(const CompactionOutcome& outcome);
  std::string page();
  std::string details(std::size_t which);
  std::string decide(const std::string& verb, const std::string& which);

  const SessionSetup& setup_;
  std::filesystem::path root_;
  World world_;
  std::unique_ptr<HookRunner> runner_;  // null without any
  ToolEnvironment* hands_ = nullptr;
  Compactor* compactor_ = nullptr;
  bool open_ = false;  // a session has begun and not ended
};

// The hooks of all the files that count for this session.
HookEntries find_hooks(const SessionSetup& setup, const std::filesystem::path& root, bool trusted);

}  // namespace tern
