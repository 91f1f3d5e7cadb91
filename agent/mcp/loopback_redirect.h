// The end of a browser's way: a socket on 127.0.0.1, or what a person pastes.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace tern {

class LoopbackRedirect {
 public:
  explicit LoopbackRedirect(int port);  // 0: any that is free
  ~LoopbackRedirect();
  LoopbackRedirect(const LoopbackRedirect&) = delete;
  LoopbackRedirect& operator=(const LoopbackRedirect&) = delete;

  const std::string& why() const { return why_; }  // not empty: it does not listen
  std::string address() const;                     // "http://127.0.0.1:PORT/callback"
  // The first address of a redirect that `fits`; a browser that comes with another one is told so, and the
  // wait goes on.
  std::optional<std::string> wait(const std::function<bool(const std::string& url)>& fits,
                                  std::stop_token stop);
  void give(std::string url);  // any thread

 private:
  std::string answer(int peer, const std::function<bool(const std::string& url)>& fits) const;

  int listener_ = -1, wake_ = -1, port_ = 0;
  std::string why_;
  std::mutex mutex_;
  std::string given_;
};

}  // namespace tern
