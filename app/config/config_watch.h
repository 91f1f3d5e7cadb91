// Tells when the project's config.json was written, moved there or removed, so that a session that waits for
// a person follows it without looking again and again: one thread that sleeps in the kernel.
#pragma once

#include <filesystem>
#include <functional>
#include <thread>

namespace tern {

class ConfigWatch {
 public:
  // `changed` runs on the watch's own thread. Where the folder cannot be watched nothing is ever told.
  ConfigWatch(const std::filesystem::path& folder, std::function<void()> changed);
  ~ConfigWatch();
  ConfigWatch(const ConfigWatch&) = delete;
  ConfigWatch& operator=(const ConfigWatch&) = delete;

 private:
  int events_ = -1, end_ = -1;
  std::thread thread_;
};

}  // namespace tern
