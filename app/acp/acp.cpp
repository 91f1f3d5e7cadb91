#include "app/acp/acp.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "agent/mcp/line_splitter.h"
#include "app/acp/acp_server.h"

namespace tern {
namespace {

constexpr std::size_t largest_line = 64u << 20;  // a prompt with its images

// False: nothing more will come.
bool wait_for(const AcpWorld& world) {
  for (;;) {
    pollfd fds[] = {{world.in, POLLIN, 0}, {world.stop, POLLIN, 0}};
    const int ready = ::poll(fds, world.stop < 0 ? 1 : 2, -1);
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    if (fds[1].revents != 0) return false;
    if (fds[0].revents != 0) return true;
  }
}

}  // namespace

int serve_acp(const AcpWorld& world) {
  AcpWriter writer(world.out);
  AcpServer server(world, writer);
  LineSplitter splitter(largest_line);
  const LineSplitter::Lines lines{
      [&](std::string line) { server.take(std::move(line)); },
      [&](std::string_view head, std::string_view tail) { server.too_long(head, tail); }};
  std::string buffer(64 * 1024, '\0');
  while (wait_for(world)) {
    const auto n = ::read(world.in, buffer.data(), buffer.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) break;
    splitter.feed(std::string_view(buffer).substr(0, static_cast<std::size_t>(n)), lines);
  }
  splitter.feed("\n", lines);  // a last line without its end
  return 0;
}

}  // namespace tern
