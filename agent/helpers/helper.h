// One helper: a conversation of its own with a task, tools and a ceiling, run to its end on the thread of the
// caller. It owns all it works with; the conversation it works for is reached through HelperDoors alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/compactor/meters.h"
#include "agent/extend/agent_file.h"
#include "agent/gate/permission.h"
#include "agent/hooks/hooks.h"
#include "agent/models/models.h"
#include "agent/store/store.h"
#include "agent/turn/tool_calls.h"
#include "tools/workspace/workspace.h"

namespace tern {

struct HelperTask {
  std::string description, prompt;
  AgentFile agent;  // without a name: none was asked for
  Tokens most = 0;  // that may enter its conversation
};

// Copies of what the parent has, made on the owner's thread.
struct HelperWorld {
  StoreOptions store;   // the helper opens a connection of its own
  std::string session;  // of the parent
  Models models;
  ModelInfo model;
  Tokens window_override = 0;
  int thinking = 0;
  CompressionConfig config;
  Workspace workspace;
  Sandbox sandbox;
  std::function<void(ToolEnvironment&)> ready_sandbox;
  PermissionPolicy policy;
  bool may_ask = false;
  std::filesystem::path spill_dir;
  std::vector<std::string> allowed_env, set_env;
  ToolSet tools;                  // what it is given
  std::string system;             // its system prompt
  std::optional<double> dollars;  // that may still be spent; none = no limit
  std::string parents_model = {};
  // Hooks that hear its calls, as Hooks::heard. Its prompt is no user's, and its end and compactions concern
  // nobody else.
  std::uint32_t hooks = 0;
};

// The way back to the parent's owner: each may be called on the helper's thread, carries values, and returns
// when it is done.
struct HelperDoors {
  std::function<std::unique_ptr<Provider>(const ModelInfo&)>
      connect;  // null when there is no way to that model
  std::function<std::optional<Answer>(const PermissionAsked&, std::stop_token)> ask;
  std::function<void(const Notice&)> tell;
  std::function<void(const FileChange&)> record;
  std::function<std::string(const PermissionRule&)> keep_rule;  // for the project; empty, or why it could not
  std::function<void(const std::vector<PermissionRule>&)>
      granted;  // by the user, while it ran, and kept nowhere yet
  // What it has used since the last call; returns what may still be spent.
  std::function<std::optional<double>(const UsageTotal&, const ModelInfo&)> charge;
  std::function<void(std::string_view)> progress;  // a line for the user
  std::function<HookAnswer(const HookCall&, std::stop_token)> ask_hooks = {};
};

struct HelperReport {
  // full: the ceiling was reached, and it was told to report; refused: the user or a hook said no to a call
  // and ended it.
  enum class How { done, full, refused, interrupted, failed } how = How::done;
  std::string text;     // its last words, whatever ended it
  std::string why;      // it failed
  std::string session;  // its own
  Tokens explored = 0;  // what entered its conversation, as estimated
  int calls = 0;
  std::vector<Denial> denials;
  std::vector<std::string> steps;  // its newest calls, a line each
  UsageTotal used;
};

HelperReport run_helper(HelperWorld world, const HelperDoors& doors, const HelperTask& task,
                        std::stop_token stop);

}  // namespace tern
