// Between http_wait.cpp (the caller's thread) and http.cpp (the network thread): one transfer, seen from both sides.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "agent/http.h"

namespace tern {

struct Transfer {
  HttpRequest request;
  void* handle = nullptr;  // the network thread's alone

  std::mutex mutex;  // guards all below
  std::condition_variable_any changed;
  HttpHead head;
  std::string inbox;
  bool connected = false, head_done = false, done = false;
  HttpError error = HttpError::none;  // with detail: set when done
  std::string detail;
};
using TransferPtr = std::shared_ptr<Transfer>;

void network_add(TransferPtr transfer);
void network_remove(TransferPtr transfer);  // returns at once; the network thread lets go a moment later

}  // namespace tern
