#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <utility>
#include <vector>

#include "tools/sandbox/sandbox_parts.h"
#include "tools/sandbox/seccomp_program.h"

namespace tern::walls {

namespace {

// Calls that reach into other processes, take namespaces and mounts apart, or open the kernel's wider doors.
constexpr long denied[] = {SYS_ptrace,
                           SYS_process_vm_readv,
                           SYS_process_vm_writev,
                           SYS_kcmp,
                           SYS_mount,
                           SYS_umount2,
                           SYS_pivot_root,
                           SYS_chroot,
                           SYS_unshare,
                           SYS_setns,
                           SYS_bpf,
                           SYS_perf_event_open,
                           SYS_userfaultfd,
                           SYS_keyctl,
                           SYS_add_key,
                           SYS_request_key,
                           SYS_init_module,
                           SYS_finit_module,
                           SYS_delete_module,
                           SYS_kexec_load,
                           SYS_reboot,
                           SYS_swapon,
                           SYS_swapoff,
                           SYS_acct,
                           SYS_quotactl,
                           SYS_settimeofday,
                           SYS_clock_settime,
                           SYS_sethostname,
                           SYS_setdomainname,
                           SYS_open_by_handle_at,
                           SYS_vhangup,
                           425 /* io_uring_setup */,
                           426 /* io_uring_enter */,
                           427 /* io_uring_register */,
                           428 /* open_tree */,
                           429 /* move_mount */,
                           430 /* fsopen */,
                           431 /* fsconfig */,
                           432 /* fsmount */,
                           433 /* fspick */,
                           438 /* pidfd_getfd */,
                           442 /* mount_setattr */,
                           443 /* quotactl_fd */,
                           467 /* open_tree_attr */};
constexpr unsigned namespace_flags = 0x7e020000u | 0x00000080u;  // CLONE_NEW* , CLONE_NEWTIME

// Landlock does not hold attributes of files. Programs that copy files with all they have are used to there
// being none.
constexpr long attribute_calls[] = {
    SYS_setxattr,     SYS_lsetxattr,    SYS_fsetxattr,        SYS_removexattr,
    SYS_lremovexattr, SYS_fremovexattr, 463 /* setxattrat */, 466 /* removexattrat */};

// socket(): the internet families when there is a network of our own or a grant, route netlink for name
// lookups; never unix sockets, behind which daemons with more rights listen (socketpair stays).
void filter_sockets(SeccompProgram& p, bool internet) {
  p.when(BPF_JEQ, SYS_socket, internet ? 11 : 1);
  if (internet) {
    p.load_argument(0);
    for (unsigned family : {AF_INET, AF_INET6}) {
      p.when(BPF_JEQ, family, 1);
      p.answer(0);
    }
    p.when(BPF_JEQ, AF_NETLINK, 4);
    p.load_argument(2);
    p.when(BPF_JEQ, 0, 1);
    p.answer(0);
    p.answer(EACCES);
  }
  p.answer(EACCES);
}

void filter_clone(SeccompProgram& p) {
  p.when(BPF_JEQ, SYS_clone, 4);
  p.load_argument(0);
  p.when(BPF_JSET, namespace_flags, 1);
  p.answer(EPERM);
  p.answer(0);
  p.deny(435 /* clone3: its flags are behind a pointer; callers fall back to clone */, ENOSYS);
}

// Where processes outside can be named: limits, priorities and processors are one's own only (0), not those
// of tern or of the whole user. A thread that another one pins is refused with it; in a namespace of its own
// nobody needs this.
void filter_reach(SeccompProgram& p) {
  constexpr std::pair<long, int> calls[] = {{SYS_prlimit64, 0},         {SYS_ioprio_set, 1},
                                            {SYS_move_pages, 0},        {SYS_migrate_pages, 0},
                                            {SYS_sched_setaffinity, 0}, {SYS_sched_setscheduler, 0},
                                            {SYS_sched_setparam, 0},    {SYS_sched_setattr, 0}};
  p.when(BPF_JEQ, SYS_ioprio_set, 4);
  p.load_argument(0);
  p.when(BPF_JEQ, 3 /* IOPRIO_WHO_USER */, 1);
  p.answer(EPERM);
  p.load_number();
  p.when(BPF_JEQ, SYS_setpriority, 6);
  p.load_argument(0);
  p.when(BPF_JEQ, 0 /* PRIO_PROCESS */, 3);
  p.load_argument(1);
  p.when(BPF_JEQ, 0, 1);
  p.answer(0);
  p.answer(EPERM);
  for (const auto& [number, argument] : calls) {
    p.when(BPF_JEQ, static_cast<unsigned>(number), 4);
    p.load_argument(argument);
    p.when(BPF_JEQ, 0, 1);
    p.answer(0);
    p.answer(EPERM);
  }
}

void filter_terminal_input(SeccompProgram& p) {
  p.when(BPF_JEQ, SYS_ioctl, 6);
  p.load_argument(1);
  for (unsigned request : {0x5412u /* TIOCSTI */, 0x541cu /* TIOCLINUX */}) p.deny(request, EPERM);
  p.answer(0);
}

// A program with a set-user or set-group bit would lend this user's rights to everybody who can run it,
// outside as well.
void filter_set_id(SeccompProgram& p) {
  constexpr unsigned creating = 0x400040;  // O_CREAT, or what O_TMPFILE has; only then is there a mode
  struct Call {
    long number;
    int mode, flags = -1;
  };
  constexpr Call calls[] = {
#ifdef SYS_open
      {SYS_open, 2, 1},   {SYS_creat, 1},  {SYS_chmod, 1},    {SYS_mknod, 1},
#endif
      {SYS_openat, 3, 2}, {SYS_fchmod, 1}, {SYS_fchmodat, 2}, {452 /* fchmodat2 */, 2}, {SYS_mknodat, 2}};
  for (const Call& call : calls) {
    p.when(BPF_JEQ, static_cast<unsigned>(call.number), call.flags < 0 ? 4 : 7);
    if (call.flags >= 0) {
      p.load_argument(call.flags);
      p.unless(BPF_JSET, creating, 1);
      p.answer(0);
    }
    p.load_argument(call.mode);
    p.when(BPF_JSET, 06000, 1);
    p.answer(EPERM);
    p.answer(0);
  }
  p.deny(437 /* openat2: its mode is behind a pointer; callers fall back to openat */, ENOSYS);
}

}  // namespace

bool seccomp_available() { return native_processor != 0 && ::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0; }

std::string filter_system_calls(const Sandbox& sandbox, bool internet) {
  if (native_processor == 0) return "seccomp: no filter for this processor";
  SeccompProgram p;
  p.load(offsetof(seccomp_data, arch));
  p.unless(BPF_JEQ, native_processor, 1);
  p.answer(ENOSYS);
  p.load_number();
#if defined(__x86_64__)
  p.when(BPF_JGE, 0x40000000u /* x32 */, 1);
  p.answer(ENOSYS);
#endif
  for (long number : denied) p.deny(number, EPERM);
  if (sandbox.rung == SandboxRung::landlock)
    for (long number : attribute_calls) p.deny(number, EOPNOTSUPP);
  filter_sockets(p, internet || sandbox.network);
  filter_clone(p);
  if (!sandbox.own_processes) filter_reach(p);
  filter_terminal_input(p);
  filter_set_id(p);
  p.answer(0);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno_text("no_new_privs");
  if (p.install() != 0) return errno_text("seccomp");
  return {};
}

}  // namespace tern::walls
