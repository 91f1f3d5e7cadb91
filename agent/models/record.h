// Recorder and replayer behind the provider seam (--record FILE, --replay FILE). A recording is a text file,
// one line of JSON per exchange: what was asked, in short, and every event of the answer. Secrets are taken
// out before a byte is written.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/models/provider.h"

namespace tern {

struct Exchange {
  std::string model, last;  // model; the end of the last user text
  std::size_t items = 0;
  bool summary = false;  // asked for a summary: played back to summaries only
  std::vector<StreamEvent> events;
};
std::string to_line(const Exchange& exchange);  // redacted, without the line end
std::optional<Exchange> from_line(std::string_view line);

// One file, shared by every provider of a session. Thread-safe.
class Recording {
 public:
  // Null and a reason when the file cannot be made or read. A new file is private (0600).
  static std::shared_ptr<Recording> create(const std::string& path, std::string& error);
  static std::shared_ptr<Recording> load(const std::string& path, std::string& error);
  ~Recording();

  void add(const Exchange& exchange);
  std::optional<Exchange> take(bool summary);  // the next of its sort
  std::size_t left() const;

 private:
  mutable std::mutex mutex_;
  int file_ = -1;
  std::deque<Exchange> exchanges_;
};

std::unique_ptr<Provider> recording_provider(std::unique_ptr<Provider> inner,
                                             std::shared_ptr<Recording> recording);
std::unique_ptr<Provider> replaying_provider(std::shared_ptr<Recording> recording);

}  // namespace tern
