// A seccomp filter in the making. Two walls are built of it: sandbox_seccomp.cpp refuses calls,
// wall_notice.cpp reports them.
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

namespace tern::walls {

#if defined(__x86_64__)
inline constexpr unsigned native_processor = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
inline constexpr unsigned native_processor = AUDIT_ARCH_AARCH64;
#else
inline constexpr unsigned native_processor = 0;  // no filter known: the sandbox is refused
#endif

class SeccompProgram {
 public:
  void statement(unsigned short code, unsigned value) { code_.push_back({code, 0, 0, value}); }
  void answer(unsigned error) {
    statement(BPF_RET | BPF_K, error == 0 ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | error);
  }
  void load(std::size_t offset) { statement(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset)); }
  void load_argument(int n) {
    load(offsetof(seccomp_data, args) + static_cast<std::size_t>(n) * 8);
  }  // low half, little endian
  void load_number() { load(offsetof(seccomp_data, nr)); }
  // Runs the next `length` statements only when the test holds.
  void when(unsigned short test, unsigned value, unsigned char length) {
    code_.push_back({static_cast<unsigned short>(BPF_JMP | test | BPF_K), 0, length, value});
  }
  void unless(unsigned short test, unsigned value, unsigned char length) {
    code_.push_back({static_cast<unsigned short>(BPF_JMP | test | BPF_K), length, 0, value});
  }
  void deny(long number, unsigned error) {
    when(BPF_JEQ, static_cast<unsigned>(number), 1);
    answer(error);
  }
  // The call waits for an answer of the process that holds the listener.
  void ask() { statement(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF); }
  // Below 0 on failure. With SECCOMP_FILTER_FLAG_NEW_LISTENER the descriptor on which ask() arrives.
  int install(unsigned flags = 0) {
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program));
  }

 private:
  std::vector<sock_filter> code_;
};

}  // namespace tern::walls
