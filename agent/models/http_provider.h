// Runs a codec over http: one attempt after another until the message is whole, kept in part, or given up.
// Repeats only while nothing counts yet: after a whole text or call nothing is sent again. Waits with full
// jitter, or as long as the server said. All clocks and chances are values, so that tests neither sleep nor
// guess.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "agent/models/codec.h"
#include "agent/models/http.h"

namespace tern {

struct RunOptions {
  HttpTimeouts timeouts = {};
  std::string key_from = {};    // ProviderConfig's
  std::string key_wanted = {};  // none is sent: the variable that would hold one
  int attempts = 10;
  int attempts_unreadable = 4;  // of answers that came whole and made no sense
  std::chrono::milliseconds base{500}, cap{30'000};
  // Waits; false when stopped before the time was over.
  std::function<bool(std::chrono::milliseconds, std::stop_token)> wait = {};
  std::function<double()> random = {};                 // [0, 1)
  std::function<std::chrono::sys_seconds()> now = {};  // for retry-after dates
};

// How long before the next try; nothing = give up. Impatient where the caller has another way: someone may
// wait for it.
class Backoff {
 public:
  explicit Backoff(const RunOptions& options, bool impatient = false)
      : options_(options), impatient_(impatient) {}
  std::optional<std::chrono::milliseconds> next(const RequestError& trouble);
  int attempt() const { return attempt_; }
  int most(const RequestError& trouble) const;  // tries, when every one fails like this

 private:
  bool may_try_again(const RequestError& trouble);
  std::chrono::milliseconds wait(const RequestError& trouble) const;

  const RunOptions& options_;
  bool impatient_;
  int attempt_ = 0, stalls_ = 0, refused_ = 0, unreadable_ = 0;
};

class HttpProvider : public Provider {
 public:
  explicit HttpProvider(std::unique_ptr<Codec> codec, RunOptions options = {});

  void stream(const Request& request, const Sink& sink, std::stop_token stop) override;
  std::string body(const Request& request) override;

 private:
  struct Attempt {
    std::optional<StopReason> finished = {};
    std::optional<RequestError> trouble = {};
    std::vector<Block> given = {};
    bool cancelled = false;
  };
  bool learns(const RequestError& trouble, const Request& request);
  Attempt attempt(const Request& request, const Sink& sink, std::stop_token stop);
  std::shared_ptr<const std::string> make_body(const Request& request);

  std::unique_ptr<Codec> codec_;
  RunOptions options_;
  FragmentCache cache_;
  Allowances allowed_;
  struct Spare {
    std::mutex mutex;
    std::unique_ptr<std::string> text;
  };
  std::shared_ptr<Spare> spare_ =
      std::make_shared<Spare>();  // a body whose transfer let go of it: its memory is used again
};

}  // namespace tern
