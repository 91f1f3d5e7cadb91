// One language server as a child: opens files, hears what is wrong in them. Safe from any thread; only wait()
// waits. What cannot be done is not done: a server that fails or is slow leaves its files without a word, and
// says why in state().
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/lsp/diagnostic.h"
#include "agent/lsp/language_server.h"
#include "agent/mcp/link.h"

namespace tern {

enum class LspPhase { starting, ready, failed };

struct LspState {
  LspPhase phase = LspPhase::starting;
  std::string why;         // of failed
  std::string version;     // in its own words
  std::string last_words;  // the end of its error output
  std::size_t open_files = 0;
};

class LspServer {
 public:
  struct Settings {
    LanguageServer row;
    std::filesystem::path root;
    std::string version;  // of this program
    std::chrono::milliseconds settle{
        100};  // of silence after the first word about a file: some servers speak twice
    std::function<void()> on_news = [] {};  // any thread: a state has changed
  };
  LspServer(std::unique_ptr<McpLink> link, Settings settings);
  ~LspServer();

  // The file is open with this text. Returns at once; the same text again does nothing.
  void show(const std::filesystem::path& file, std::string text);
  bool shows(const std::filesystem::path& file) const;
  std::vector<std::filesystem::path> open_files() const;
  void close(const std::filesystem::path& file);

  // What is wrong in the text that was shown last. Nothing when the server has not said by `until`.
  std::optional<std::vector<Diagnostic>> wait(const std::filesystem::path& file,
                                              std::chrono::steady_clock::time_point until,
                                              std::stop_token stop);
  LspState state() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tern
