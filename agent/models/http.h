// HTTP with streaming answers. One network thread owns the one curl multi of the process (connections are
// shared and kept); http_stream() blocks its caller, and the handlers run on the caller's thread. Any number
// of threads may stream at once. A stop request returns within milliseconds in every state, name lookup and
// TLS included; so do the clocks here, which are our own. http.cpp alone sees curl.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "agent/models/http_message.h"

namespace tern {

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
