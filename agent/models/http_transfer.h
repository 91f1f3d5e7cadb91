// Between http_wait.cpp (the caller's thread) and http.cpp (the network thread): one transfer, seen from both
// sides.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "agent/models/http_message.h"

namespace tern {

struct Transfer {
  HttpRequest request;
  void* handle = nullptr;   // the network thread's alone
  bool not_public = false;  // so is this: an address was refused
  std::string unread;       // and this: what has been read and is not yet in the inbox

  std::mutex mutex;  // guards all below
  std::condition_variable_any changed;
  HttpHead head;
  std::string inbox;
  bool connected = false, head_done = false, done = false;
  bool held = false;                  // the sender waits: there is more in the inbox than is taken out of it
  HttpError error = HttpError::none;  // with detail: set when done
  std::string detail;
};
using TransferPtr = std::shared_ptr<Transfer>;

// A header line of the final answer; interim ones (1xx, a proxy's CONNECT) are begun anew by the next status
// line.
void take_header_line(Transfer& transfer, std::string_view line);

void network_add(TransferPtr transfer);
void network_resume(TransferPtr transfer);  // after it was held
void network_remove(TransferPtr transfer);  // returns at once; the network thread lets go a moment later

}  // namespace tern
