// A request over HTTP and its answer, as values.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct sockaddr;

namespace tern {

struct HttpTimeouts {
  std::chrono::milliseconds connect{10'000};      // lookup, TCP, TLS
  std::chrono::milliseconds first_byte{120'000};  // of the body, once connected
  std::chrono::milliseconds idle{60'000};         // between bytes of the body
  std::chrono::milliseconds silence{
      20'000};  // on_silence after so long without a byte, and again after as long
};

struct HttpRequest {
  std::string method = "POST", url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::shared_ptr<const std::string> body;  // shared: a cancelled transfer may outlive the call by a moment
  HttpTimeouts timeouts = {};
  // Set: names of this machine and of private networks are refused, and so is every address that this says no
  // to when it is connected to, whatever a name led to before. Called on the network thread.
  std::function<bool(const sockaddr&)> may_reach = {};
};

struct HttpHead {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string_view operator[](std::string_view name) const;  // empty when absent
};

enum class HttpError {
  none,
  cancelled,
  refused_url,
  lookup,
  connect,
  tls,
  connect_timeout,
  first_byte_timeout,
  idle_timeout,
  broken
};

struct HttpResult {
  HttpError error = HttpError::none;
  std::string detail;  // curl's words, no key in them
  HttpHead head;
  bool any_body = false;
};

// drain: all that matters has come; wait a moment for the proper end, so that the connection can be kept.
// stop: drop it.
enum class HttpNext { more, drain, stop };

struct HttpHandlers {
  std::function<void(const HttpHead&)> on_head = [](const HttpHead&) {};
  std::function<HttpNext(std::string_view)> on_data = [](std::string_view) { return HttpNext::more; };
  std::function<void(std::chrono::milliseconds)> on_silence = [](std::chrono::milliseconds) {};
};

}  // namespace tern
