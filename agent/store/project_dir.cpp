#include "agent/store/project_dir.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "compression/text/fnv.h"
#include "tools/files/git_index.h"
#include "tools/set/args.h"
#include "tools/workspace/workspace.h"

namespace tern {
namespace {

namespace fs = std::filesystem;
using State = ProjectDir::State;
constexpr const char* kName = ".compression";
constexpr const char* kToken = "owner";

std::string said(const char* what, const fs::path& where) {
  return std::string(what) + " " + where.string() + ": " + std::strerror(errno);
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (unsigned char byte : bytes) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", byte);
    text += two;
  }
  return text;
}

std::string random_token() {
  char bytes[16] = {};
  return ::getrandom(bytes, sizeof bytes, 0) == sizeof bytes ? hex({bytes, sizeof bytes}) : std::string();
}

bool is_token(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string read_token(int folder) {
  const Fd file(::openat(folder, kToken, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  char bytes[33] = {};
  const ssize_t got = file ? ::read(file.get(), bytes, sizeof bytes) : 0;
  const std::string token(bytes, got > 0 ? static_cast<std::size_t>(got) : 0);
  return is_token(token) ? token : std::string();
}

bool known_token(const std::string& token) {
  const fs::path state = user_state_dir();
  struct stat info {};
  return !token.empty() && !state.empty() && ::lstat((state / "owners" / token).c_str(), &info) == 0 &&
         S_ISREG(info.st_mode);
}

bool put_file(int folder, const char* name, std::string_view bytes) {
  const Fd file(
      ::openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  return file && write_all(file.get(), bytes);
}

// The folder carries the token, the person's state folder knows it.
std::string mark_as_ours(int folder, const fs::path& project) {
  const std::string token = random_token();
  const fs::path state = user_state_dir();
  std::string why;
  if (token.empty() || !put_file(folder, kToken, token)) return said("cannot write into", project);
  if (state.empty() || !make_private_dir(state / "owners", why))
    return {};  // without a home it is ours for this run only
  // Not synced, as the folder's own token is not: should power fail within seconds, the folder is asked about
  // once.
  const Fd owners(::open((state / "owners").c_str(), O_DIRECTORY | O_CLOEXEC));
  return owners && put_file(owners.get(), token.c_str(), project.string() + "\n")
             ? std::string()
             : said("cannot write into", state / "owners");
}

std::string fault_of(const struct stat& info) {
  if (S_ISLNK(info.st_mode)) return "is a symbolic link";
  if (!S_ISDIR(info.st_mode)) return "is not a folder";
  if (info.st_uid != ::geteuid()) return "belongs to another user";
  if (info.st_mode & 022) return "can be written by others (chmod go-w repairs that)";
  return {};
}

ProjectDir instead(State state, ProjectDir dir, const fs::path& root, const std::string& why) {
  dir.state = state;
  dir.folder = project_state_dir(root);
  dir.why = dir.project.string() + " " + why + "; history is kept in " +
            (dir.folder.empty() ? "memory only" : dir.folder.string());
  return dir;
}

ProjectDir moved(const fs::path& state_dir) {
  ProjectDir dir{
      .state = State::ours, .folder = fs::absolute(state_dir), .project = fs::absolute(state_dir), .why = {}};
  std::string why;
  if (!make_private_dir(dir.folder, why))
    return {.state = State::refused, .folder = {}, .project = dir.project, .why = why};
  return dir;
}

bool make_new(int root, ProjectDir& dir) {
  if (::mkdirat(root, kName, 0700) != 0) return false;
  const Fd folder(::openat(root, kName, O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!folder || !put_file(folder.get(), ".gitignore", "*\n")) return false;
  dir.why = mark_as_ours(folder.get(), dir.project);
  dir.state = State::ours, dir.folder = dir.project;
  return true;
}

ProjectDir open_or_adopt(const ProjectDirOptions& options, bool adopt) {
  if (!options.state_dir.empty()) return moved(options.state_dir);
  std::error_code ignored;
  const fs::path root = fs::weakly_canonical(options.root, ignored);
  ProjectDir dir{.state = State::absent, .folder = {}, .project = root / kName, .why = {}};
  const Fd top(::open(root.c_str(), O_DIRECTORY | O_CLOEXEC));
  struct stat info {};
  if (!top) return instead(State::readonly, dir, root, "cannot be opened");
  if (::fstatat(top.get(), kName, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (!options.create) return dir;
    return make_new(top.get(), dir) ? dir
                                    : instead(State::readonly, dir, root,
                                              std::string("cannot be made (") + std::strerror(errno) + ")");
  }
  if (const std::string fault = fault_of(info); !fault.empty())
    return instead(State::refused, dir, root, fault + " and is not used");
  const Fd folder(::openat(top.get(), kName, O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!folder) return instead(State::refused, dir, root, "cannot be opened");
  if (tracked_by_git(dir.project)) {
    return instead(
        State::refused, dir, root,
        "came with the repository (git tracks it) and is not used; git rm -r --cached makes it yours");
  }
  if (adopt) dir.why = mark_as_ours(folder.get(), dir.project);
  if (!adopt && !known_token(read_token(folder.get()))) {
    return instead(State::foreign, dir, root,
                   "wasn't created by you on this machine; tern won't read it until you trust this folder");
  }
  if (::faccessat(top.get(), kName, W_OK, 0) != 0)
    return instead(State::readonly, dir, root, "cannot be written");
  if (::faccessat(folder.get(), ".gitignore", F_OK, AT_SYMLINK_NOFOLLOW) != 0)
    put_file(folder.get(), ".gitignore", "*\n");
  dir.state = State::ours, dir.folder = dir.project;
  return dir;
}

}  // namespace

ProjectDir open_project_dir(const ProjectDirOptions& options) { return open_or_adopt(options, false); }
ProjectDir adopt_project_dir(const ProjectDirOptions& options) { return open_or_adopt(options, true); }

fs::path user_state_dir() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (state && *state == '/')
    folder = fs::path(state) / "tern";
  else if (home && *home == '/')
    folder = fs::path(home) / ".local/state/tern";
  std::string why;
  return !folder.empty() && make_private_dir(folder, why) ? folder : fs::path();
}

fs::path project_state_dir(const fs::path& root) {
  const fs::path state = user_state_dir();
  std::string why;
  if (state.empty()) return {};
  constexpr std::uint64_t offset = 1469598103934665603u;  // not FNV's own, but folders on disk bear its names
  const std::uint64_t hash = fnv1a(root.string(), offset);
  char name[32];
  std::snprintf(name, sizeof name, "-%016llx", static_cast<unsigned long long>(hash));
  const fs::path folder = state / "projects" / (root.filename().string() + name);
  return make_private_dir(folder, why) ? folder : fs::path();
}

bool is_shown_part(std::string_view key) { return key == "about" || key == "effective" || key == "from"; }

bool sets_something(const fs::path& file) {
  struct stat info {};
  if (::lstat(file.c_str(), &info) != 0) return false;
  constexpr off_t most = 1 << 20;
  if (!S_ISREG(info.st_mode) || info.st_size > most) return true;
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (nests_too_deep(bytes)) return true;
  const auto json = nlohmann::json::parse(bytes, nullptr, false);
  if (!json.is_object()) return true;
  for (const auto& [key, value] : json.items())
    if (!is_shown_part(key)) return true;
  return false;
}

bool make_private_dir(const fs::path& folder, std::string& why) {
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0) {
    if (folder.has_relative_path() && !folder.parent_path().empty() &&
        ::lstat(folder.parent_path().c_str(), &info) != 0 && !make_private_dir(folder.parent_path(), why))
      return false;
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
      return why = said("cannot make", folder), false;
    if (::lstat(folder.c_str(), &info) != 0) return why = said("cannot make", folder), false;
  }
  if (const std::string fault = fault_of(info); !fault.empty())
    return why = folder.string() + " " + fault, false;
  return true;
}

bool write_private_file(const fs::path& file, std::string_view bytes, std::string& why) {
  const std::string temp = file.string() + "." + random_token().substr(0, 8) + ".tmp";
  const Fd out(::open(temp.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!out) return why = said("cannot write", file), false;
  if (!write_all(out.get(), bytes) || ::fsync(out.get()) != 0 || ::rename(temp.c_str(), file.c_str()) != 0) {
    why = said("cannot write", file);
    ::unlink(temp.c_str());
    return false;
  }
  const Fd folder(::open(file.parent_path().c_str(), O_DIRECTORY | O_CLOEXEC));
  if (folder) ::fsync(folder.get());
  return true;
}

}  // namespace tern
