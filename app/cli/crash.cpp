#include "app/cli/crash.h"

#include <execinfo.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>

namespace tern {
namespace {

char report_path[512];  // made before the crash: nothing may be allocated in the handler

void write_text(int fd, const char* text) {
  if (::write(fd, text, std::strlen(text)) < 0) return;
}

void on_crash(int signal) {
  void* frames[48];
  const int depth = ::backtrace(frames, 48);
  const int file =
      report_path[0] ? ::open(report_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
  if (file >= 0) {
    write_text(file, "tern " TERN_VERSION " ended by signal ");
    const char digits[] = {static_cast<char>('0' + signal / 10), static_cast<char>('0' + signal % 10), '\n',
                           '\0'};
    write_text(file, digits);
    ::backtrace_symbols_fd(frames, depth, file);
    ::close(file);
  }
  write_text(STDERR_FILENO,
             "\ntern crashed. Everything shown as done is saved; tern --continue resumes the session.\n");
  if (file >= 0) {
    write_text(STDERR_FILENO, "Report: ");
    write_text(STDERR_FILENO, report_path);
    write_text(STDERR_FILENO, "\n");
  }
  ::raise(signal);  // the default action, since SA_RESETHAND
}

}  // namespace

void install_crash_handlers(const std::string& folder) {
  if (!folder.empty())
    std::snprintf(report_path, sizeof report_path, "%s/crash-%d.txt", folder.c_str(),
                  static_cast<int>(::getpid()));
  static char stack[32 * 1024];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  ::sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_RESETHAND | SA_ONSTACK | SA_NODEFER;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) ::sigaction(signal, &action, nullptr);
}

void guard_memory() {
  ::prctl(PR_SET_DUMPABLE, 0);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

void outlive_limits() {
  struct sigaction action {};
  action.sa_handler = [](int) {};  // unlike SIG_IGN not passed on to what we start
  ::sigaction(SIGXFSZ, &action, nullptr);
}

void give_back_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

}  // namespace tern
