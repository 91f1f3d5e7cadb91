// A workspace in a temporary directory with everything a tool needs, and the tools by name.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/support/temp_dir.h"
#include "tests/tools/set/tool_call.h"
#include "tools/builtin/builtin_tools.h"
#include "tools/exec/jobs.h"
#include "tools/files/file_memory.h"
#include "tools/files/journal.h"
#include "tools/sandbox/sandbox.h"
#include "tools/set/tool.h"
#include "tools/workspace/workspace.h"

namespace tern::testing {

namespace fs = std::filesystem;

using test::TempDir;

inline void put(const fs::path& path, std::string_view bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string get(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct World {
  TempDir temp;
  fs::path root = make(temp.path() / "project"), outside = make(temp.path() / "outside");
  Workspace workspace{root};
  FileMemory files;
  Journal journal{{}, temp.path() / "writes"};
  Jobs jobs;
  Sandbox sandbox;
  std::vector<TodoItem> todos;
  std::stop_source stop;
  bool granted = false;
  int calls = 0;
  std::function<std::string(const RecallQuery&)> recall;
  std::function<std::string(const ContextQuery&)> context;

  static fs::path make(const fs::path& path) {
    fs::create_directories(path);
    return path;
  }

  ToolOutput run(const char* tool_name, const nlohmann::json& arguments) {
    const auto tool = builtin_tools().find(tool_name);
    nlohmann::json args;
    std::string error;
    if (!parse_args(*tool, arguments.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), args,
                    error)) {
      return {.text = error, .is_error = true};
    }
    return test::call_tool(*tool, args, {workspace, files, journal, jobs, todos},
                           "call_" + std::to_string(++calls), sandbox, [this](ToolContext& ctx) {
                             ctx.stop = stop.get_token();
                             ctx.granted = granted;
                             ctx.spill_dir = temp.path();
                             ctx.recall = recall;
                             ctx.context = context;
                           });
  }

  ToolOutput read(const std::string& path) { return run("Read", {{"file_path", path}}); }
  ToolOutput edit(const std::string& path, const std::string& old_text, const std::string& new_text,
                  bool all = false) {
    return run(
        "Edit",
        {{"file_path", path}, {"old_string", old_text}, {"new_string", new_text}, {"replace_all", all}});
  }
  ToolOutput write(const std::string& path, const std::string& content) {
    return run("Write", {{"file_path", path}, {"content", content}});
  }
};

inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tern::testing
