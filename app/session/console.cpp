#include "app/session/console.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "ui/text/text_safe.h"

namespace tern {

void print(std::FILE* stream, std::string_view text) {
  std::string safe;
  if (::isatty(::fileno(stream))) text = safe = safe_text(text);
  std::fwrite(text.data(), 1, text.size(), stream);
}

void hold_standard_streams() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int written(int code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  const std::string why = errno ? std::string(" (") + std::strerror(errno) + ")" : std::string();
  std::fprintf(stderr, "tern: standard output could not take everything%s\n", why.c_str());
  return code == 0 ? 1 : code;
}

}  // namespace tern
