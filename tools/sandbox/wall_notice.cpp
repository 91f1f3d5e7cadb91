// The child's half of wall_watch.h: the filter that reports calls, and the way its listener takes to the
// supervisor.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <cstring>
#include <utility>

#include "tools/sandbox/seccomp_program.h"
#include "tools/sandbox/wall_calls.h"
#include "tools/sandbox/wall_watch.h"

namespace tern::walls {

namespace {

void report_opening(SeccompProgram& p, long number, int flags) {
  p.when(BPF_JEQ, static_cast<unsigned>(number), 4);
  p.load_argument(flags);
  p.when(BPF_JSET, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 1);
  p.ask();
  p.answer(0);
}

void report_always(SeccompProgram& p, long number) {
  p.when(BPF_JEQ, static_cast<unsigned>(number), 1);
  p.ask();
}

// A socket without a network behind it: the supervisor refuses it, so that it is seen.
void report_internet(SeccompProgram& p) {
  p.when(BPF_JEQ, SYS_socket, 6);
  p.load_argument(0);
  for (const unsigned family : {AF_INET, AF_INET6}) {
    p.when(BPF_JEQ, family, 1);
    p.ask();
  }
  p.answer(0);
}

void report_address(SeccompProgram& p) {
  p.when(BPF_JEQ, SYS_sendto, 4);
  p.load_argument(4);
  p.unless(BPF_JEQ, 0, 1);
  p.ask();
  p.answer(0);
}

bool send_descriptor(int channel, int descriptor) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  return ::sendmsg(channel, &message, MSG_NOSIGNAL) == 1;
}

}  // namespace

bool report_calls(const Sandbox& sandbox, int channel) {
  if (native_processor == 0 || sandbox.notices == Notices::none || channel < 0) return false;
  SeccompProgram p;
  p.load(offsetof(seccomp_data, arch));
  p.unless(BPF_JEQ, native_processor, 1);
  p.answer(0);  // the filter that follows refuses it
  p.load_number();
  if (sandbox.notices == Notices::all)
    for (const FileCall& call : file_calls)
      call.flags < 0 ? report_always(p, call.number) : report_opening(p, call.number, call.flags);
  if (sandbox.rung == SandboxRung::landlock && !sandbox.network)
    report_internet(p);
  else
    report_address(p);
  report_always(p, SYS_connect);
  p.answer(0);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const int listener = p.install(SECCOMP_FILTER_FLAG_NEW_LISTENER);
  if (listener < 0) return false;
  const bool sent = send_descriptor(channel, listener);
  ::close(listener);
  return sent;
}

}  // namespace tern::walls
