// Where the soak plays: a home with hooks, two MCP servers and an agent in its configuration, and what can be
// counted there from outside.
#pragma once

#include <poll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/headless.h"
#include "tests/support/places.h"

namespace tern::test::soak {

struct Folder : Home {
  Folder() {
    using nlohmann::json;
    const auto hook = [](const std::string& name) {
      return json::array(
          {{{"hooks", {{{"type", "command"}, {"command", "echo " + name + " >> hooks.log"}}}}}});
    };
    json hooks;
    for (const char* name :
         {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop"})
      hooks[name] = hook(name);
    const auto server = [](const json& scenario) {
      return json{{"command", places::mcp_server()}, {"args", {scenario.dump()}}};
    };
    std::ofstream(path / ".config/tern/config.json")
        << json{{"trusted", {work.string()}},
                {"hooks", hooks},
                {"mcpServers", {{"alpha", server({{"tools", 3}})}, {"beta", server({{"tools", 30}})}}}}
               .dump(2);
    std::filesystem::create_directories(path / ".config/tern/agents");
    std::ofstream(path / ".config/tern/agents/explorer.md")
        << "---\ndescription: Finds code\n---\nLook well.\n";
  }

  // Processes that have this home: tern, its supervisors, servers, hooks and commands.
  std::vector<pid_t> processes() const {
    const std::string mark = "HOME=" + path.string();
    std::vector<pid_t> found;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
      std::ifstream in(entry.path() / "environ", std::ios::binary);
      std::string all;
      std::getline(in, all, '\xff');  // all of it; nothing of one that is just ending, and no exception
      if (all.find(mark + '\0') != std::string::npos || all.ends_with(mark))
        found.push_back(std::atoi(entry.path().filename().c_str()));
    }
    return found;
  }

  // Waits for the end of each of them, for so long at most. How many are left.
  int left_after(std::chrono::milliseconds patience) const {
    const auto end = std::chrono::steady_clock::now() + patience;
    for (auto still = processes(); !still.empty(); still = processes()) {
      pollfd process{.fd = static_cast<int>(::syscall(SYS_pidfd_open, still.front(), 0)),
                     .events = POLLIN,
                     .revents = 0};
      if (process.fd < 0) continue;  // it has just ended
      const auto rest =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      const int ended = rest.count() > 0 ? ::poll(&process, 1, static_cast<int>(rest.count())) : 0;
      ::close(process.fd);
      if (ended <= 0) return static_cast<int>(processes().size());
    }
    return 0;
  }
};

inline long resident_kb(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("VmRSS:")) return std::atol(line.c_str() + 6);
  return 0;
}

inline int descriptors(pid_t pid) {
  std::error_code ignored;
  int found = 0;
  for (auto at = std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd", ignored);
       at != std::filesystem::directory_iterator(); at.increment(ignored))
    ++found;
  return found;
}

}  // namespace tern::test::soak
