#include "agent/web/page_apart.h"

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

#include "tools/exec/process.h"
#include "tools/set/tool.h"

namespace tern {

namespace {

constexpr rlim_t most_seconds = 10, most_memory = 1500u << 20;

// Under a sanitizer a process reserves far more memory than it uses.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_is_limited = false;
#else
constexpr bool memory_is_limited = true;
#endif

void limit(__rlimit_resource what, rlim_t most) {
  const rlimit both{most, most};
  ::setrlimit(what, &both);
}

// Sends the page, takes the text; false when it was stopped.
bool converse(Process& process, std::string_view html, std::string& text, ProcessEnd& end,
              const std::stop_token& stop) {
  for (bool open = true;;) {
    if (stop.stop_requested()) return false;
    while (!html.empty()) {
      const auto put = process.write_input(html.substr(0, 1u << 16));
      if (put == 0) break;
      html.remove_prefix(put < 0 ? html.size() : static_cast<std::size_t>(put));
    }
    if (html.empty()) process.close_input();
    if (open) open = process.drain([&](std::string_view piece) { text += piece; });
    process.drain_errors([](std::string_view) {});
    if (auto over = process.ended(); over && !open) {
      end = std::move(*over);
      return true;
    }
    pollfd ready[3] = {{open ? process.output_fd() : -1, POLLIN, 0},
                       {process.status_fd(), POLLIN, 0},
                       {html.empty() ? -1 : process.input_fd(), POLLOUT, 0}};
    ::poll(ready, 3, 50);
  }
}

}  // namespace

PageRead read_page_apart(const std::string& html, const std::string& base, ToolContext& ctx) {
  ProcessSpec spec{.argv = {"/proc/self/exe", read_page_flag, base}, .cwd = "/", .env = {"LC_ALL=C.UTF-8"}};
  if (ctx.sandbox.on) spec.sandbox = look_only(ctx.sandbox);
  spec.sandbox.notices = Notices::none;
  spec.two_way = true;
  PageRead read;
  Process process;
  read.error = process.start(spec);
  if (!read.error.empty()) return read;
  std::string text;
  ProcessEnd end;
  if (!converse(process, html, text, end, ctx.stop)) return {.page = {}, .error = "It was interrupted."};
  if (!end.error.empty())
    read.error = end.error;
  else if (end.status != 0)
    read.error = "It takes too much memory or time to read. Its source is there with the format html.";
  const auto line = text.find('\n');
  if (read.error.empty() && line != text.npos) read.page = {text.substr(0, line), text.substr(line + 1)};
  return read;
}

int read_page_main(int argc, char** argv) {
  limit(RLIMIT_CPU, most_seconds);
  limit(RLIMIT_CORE, 0);
  if (memory_is_limited) limit(RLIMIT_AS, most_memory);
  std::string html;
  char part[1 << 16];
  for (ssize_t got; (got = ::read(STDIN_FILENO, part, sizeof part)) > 0;)
    html.append(part, static_cast<std::size_t>(got));
  const WebPage page = html_markdown(html, argc > 2 ? argv[2] : "");
  std::string title = page.title;
  for (char& c : title) c = c == '\n' ? ' ' : c;
  const std::string all = title + "\n" + page.text;
  const bool whole = std::fwrite(all.data(), 1, all.size(), stdout) == all.size() && std::fflush(stdout) == 0;
  return whole ? 0 : 1;
}

}  // namespace tern
