#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

#include "tools/sandbox/sandbox_parts.h"

namespace tern::walls {

namespace {

namespace fs = std::filesystem;

constexpr unsigned recursive = 0x8000;  // AT_RECURSIVE
struct MountAttributes {
  std::uint64_t set = 0, clear = 0, propagation = 0, user_namespace = 0;
};

bool write_file(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool good = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return good;
}

bool map_user(uid_t user, gid_t group) {
  const std::string u = std::to_string(user), g = std::to_string(group);
  write_file("/proc/self/setgroups", "deny");
  return write_file("/proc/self/uid_map", u + " " + u + " 1\n") &&
         write_file("/proc/self/gid_map", g + " " + g + " 1\n");
}

bool read_only(const fs::path& path, bool yes) {
  MountAttributes attributes;
  (yes ? attributes.set : attributes.clear) = 1;  // MOUNT_ATTR_RDONLY
  if (::syscall(442, AT_FDCWD, path.c_str(), recursive, &attributes, sizeof attributes) == 0) return true;
  return !yes && ::syscall(442, AT_FDCWD, path.c_str(), 0, &attributes, sizeof attributes) == 0;
}

bool bind_to_itself(const fs::path& path) {
  return ::mount(path.c_str(), path.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

bool is_link(const fs::path& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

bool present(const fs::path& path) { return ::access(path.c_str(), F_OK) == 0; }

void hide(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return;
  if (S_ISDIR(info.st_mode))
    ::mount("tmpfs", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=4k");
  else
    ::mount("/dev/null", path.c_str(), nullptr, MS_BIND, nullptr);
}

// A /dev of its own: a handful of harmless devices and new terminals. The person's terminals, consoles and
// disks are not in it, so nobody in here reads a key or writes to a screen.
std::string fresh_devices() {
  constexpr const char* kept[] = {"null", "zero", "full", "random", "urandom", "tty"};
  int from[std::size(kept)];
  for (std::size_t i = 0; i < std::size(kept); ++i)
    from[i] = ::open(("/dev/" + std::string(kept[i])).c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW);
  if (::mount("tmpfs", "/dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=0755,size=64k") != 0)
    return errno_text("devices");
  for (std::size_t i = 0; i < std::size(kept); ++i) {
    if (from[i] < 0) continue;
    const std::string to = "/dev/" + std::string(kept[i]),
                      source = "/proc/self/fd/" + std::to_string(from[i]);
    ::close(::open(to.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    const bool good = ::mount(source.c_str(), to.c_str(), nullptr, MS_BIND, nullptr) == 0;
    ::close(from[i]);
    if (!good) return errno_text("device " + to);
  }
  for (const char* directory : {"/dev/pts", "/dev/shm"}) ::mkdir(directory, 0755);
  if (::mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620") !=
      0)
    return errno_text("terminals");
  if (::mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=512m") != 0)
    return errno_text("shared memory");
  constexpr std::pair<const char*, const char*> links[] = {{"pts/ptmx", "/dev/ptmx"},
                                                           {"/proc/self/fd", "/dev/fd"},
                                                           {"/proc/self/fd/0", "/dev/stdin"},
                                                           {"/proc/self/fd/1", "/dev/stdout"},
                                                           {"/proc/self/fd/2", "/dev/stderr"}};
  for (const auto& [target, name] : links)
    if (::symlink(target, name) != 0) return errno_text(name);
  return {};
}

std::string arrange_mounts(const Sandbox& sandbox) {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return errno_text("private mounts");
  std::vector<fs::path> open = sandbox.writable;
  if (!sandbox.temp.empty()) open.push_back(sandbox.temp);
  for (const fs::path& path : open)
    if (!bind_to_itself(path)) return errno_text("mount of " + path.string());
  for (const fs::path& path : sandbox.hidden) hide(path);
  std::vector<fs::path> closed;
  for (const fs::path& path : sandbox.read_only) {
    const fs::path real = is_link(path) ? fs::path(path).parent_path() / fs::read_symlink(path) : path;
    if (!present(real)) continue;
    if (!bind_to_itself(real)) return errno_text("mount of " + real.string());
    closed.push_back(real);
  }
  if (const std::string why = fresh_devices(); !why.empty()) return why;
  if (!read_only("/", true)) return errno_text("read-only root");
  open.emplace_back("/dev/shm");
  for (const fs::path& path : open)
    if (!read_only(path, false)) return errno_text("writable " + path.string());
  for (const fs::path& path : closed)
    if (!read_only(path, true)) return errno_text("read-only " + path.string());
  return {};
}

// A network of one's own has only its loopback; tests that talk to themselves keep working.
void raise_loopback() {
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  ::ioctl(fd, SIOCSIFFLAGS, &request);
  ::close(fd);
}

}  // namespace

std::string enter_namespaces(const Sandbox& sandbox, const KeptNamespaces& kept) {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  const bool same_user = kept.enter_user(sandbox);
  const bool same_network = same_user && kept.enter_network();
  const int asked = (same_user ? 0 : CLONE_NEWUSER) | (same_network || sandbox.network ? 0 : CLONE_NEWNET) |
                    (sandbox.own_processes ? CLONE_NEWPID : 0);
  if (::unshare(CLONE_NEWNS | CLONE_NEWIPC | asked) != 0) return errno_text("namespaces");
  if (!same_user && !map_user(user, group)) return errno_text("user map");
  if (sandbox.own_processes)
    if (std::string why = enter_own_processes(); !why.empty()) return why;
  char here[4096];
  const bool known = ::getcwd(here, sizeof here) != nullptr;
  const std::string why = arrange_mounts(sandbox);
  if (!why.empty()) return why;
  if (!sandbox.network && !same_network) raise_loopback();
  if (known && ::chdir(here) != 0) return errno_text("working directory");  // onto the new mounts
  return {};
}

std::string drop_capabilities() {
  for (int capability = 0; capability < 64; ++capability) ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  ::prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                 SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                 SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  if (::syscall(SYS_capset, &header, none) != 0) return errno_text("capabilities");
  return {};
}

std::string errno_text(const std::string& what) { return what + ": " + std::strerror(errno); }

}  // namespace tern::walls
