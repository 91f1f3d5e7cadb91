#include "tools/exec/exchange.h"

#include <poll.h>

#include <utility>

namespace tern {

namespace {

constexpr std::size_t most_output = 64u << 20;

}  // namespace

bool exchange(Process& process, std::string_view input, std::string& output, ProcessEnd& end,
              const std::stop_token& stop, std::chrono::milliseconds patience) {
  const auto end_of_patience = std::chrono::steady_clock::now() + patience;
  for (bool open = true;;) {
    const bool late = std::chrono::steady_clock::now() > end_of_patience;
    if (stop.stop_requested() || late || output.size() > most_output) return false;
    while (!input.empty()) {
      const auto put = process.write_input(input.substr(0, 1u << 16));
      if (put == 0) break;
      input.remove_prefix(put < 0 ? input.size() : static_cast<std::size_t>(put));
    }
    if (input.empty()) process.close_input();
    if (open) open = process.drain([&](std::string_view piece) { output += piece; });
    process.drain_errors([](std::string_view) {});
    if (auto over = process.ended(); over && !open) {
      end = std::move(*over);
      return true;
    }
    pollfd ready[3] = {{open ? process.output_fd() : -1, POLLIN, 0},
                       {process.status_fd(), POLLIN, 0},
                       {input.empty() ? -1 : process.input_fd(), POLLOUT, 0}};
    ::poll(ready, 3, 50);
  }
}

}  // namespace tern
