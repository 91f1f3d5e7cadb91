#include "app/config/config_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>
#include <utility>

namespace tern {
namespace {

constexpr std::uint32_t settled = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE;

// Takes what has happened; true when config.json was among it.
bool was_it(int events) {
  alignas(inotify_event) char bytes[4'096];
  const auto got = ::read(events, bytes, sizeof bytes);
  bool found = false;
  for (ssize_t at = 0; at < got;) {
    const auto* event = reinterpret_cast<const inotify_event*>(bytes + at);
    found |= event->len > 0 && std::string_view(event->name) == "config.json";
    at += static_cast<ssize_t>(sizeof *event + event->len);
  }
  return found;
}

}  // namespace

ConfigWatch::ConfigWatch(const std::filesystem::path& folder, std::function<void()> changed)
    : events_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)), end_(::eventfd(0, EFD_CLOEXEC)) {
  if (events_ < 0 || end_ < 0 || ::inotify_add_watch(events_, folder.c_str(), settled | IN_ONLYDIR) < 0)
    return;
  thread_ = std::thread([events = events_, end = end_, changed = std::move(changed)] {
    pollfd wanted[] = {{events, POLLIN, 0}, {end, POLLIN, 0}};
    while (::poll(wanted, 2, -1) >= 0 || errno == EINTR) {
      if (wanted[1].revents) return;
      if (wanted[0].revents && was_it(events)) changed();
    }
  });
}

ConfigWatch::~ConfigWatch() {
  if (thread_.joinable()) {
    ::eventfd_write(end_, 1);
    thread_.join();
  }
  if (events_ >= 0) ::close(events_);
  if (end_ >= 0) ::close(end_);
}

}  // namespace tern
