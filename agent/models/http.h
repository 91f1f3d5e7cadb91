// HTTP with streaming answers. One network thread owns the one curl multi of the process (connections are
// shared and kept); http_stream() blocks its caller, and the handlers run on the caller's thread. Any number
// of threads may stream at once. A stop request returns within milliseconds in every state, name lookup and
// TLS included; so do the clocks here, which are our own. http.cpp alone sees curl.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  bool public_only =
      false;  // connects to no address of this machine or of a private network, whatever a name leads to
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

// Starts the network thread, which loads curl while its caller goes on.
void http_warm();
// Joins it, if there is one: before main() returns, on every way out. exit() must not run the libraries'
// handlers while they are still being loaded.
void http_stop();

HttpResult http_stream(const HttpRequest& request, const HttpHandlers& handlers, std::stop_token stop);

// A whole small answer at once; the body is cut at 1 MB.
struct HttpAnswer {
  HttpResult result;
  std::string body;
};
HttpAnswer http_get(const std::string& url, const std::vector<std::pair<std::string, std::string>>& headers,
                    std::chrono::milliseconds patience, std::stop_token stop = {});

}  // namespace tern
