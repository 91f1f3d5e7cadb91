#include "agent/web/page_apart.h"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "tools/exec/exchange.h"
#include "tools/sandbox/sandbox.h"
#include "tools/set/tool.h"
#include "tools/workspace/private_file.h"

namespace tern {

namespace {

constexpr const char* kTooMuch =
    "It takes too much memory or time to read. Its source is there with the format html.";
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
  if (!exchange(process, html, text, end, ctx.stop))
    return {.page = {}, .error = ctx.stop.stop_requested() ? "It was interrupted." : kTooMuch};
  if (!end.error.empty())
    read.error = end.error;
  else if (end.status != 0)
    read.error = kTooMuch;
  const auto line = text.find('\n');
  if (read.error.empty() && line != text.npos) read.page = {text.substr(0, line), text.substr(line + 1)};
  return read;
}

PdfText read_pdf_apart(const std::string& bytes, ToolContext& ctx) {
  static std::atomic<unsigned> count{0};
  const auto file = ctx.spill_dir / ("page-" + std::to_string(++count) + ".pdf");
  if (auto wrong = write_private_file(file, bytes); !wrong.empty()) return {.pages = {}, .error = wrong};
  PdfText pdf = pdf_text(file, ctx);
  ::unlink(file.c_str());
  return pdf;
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
