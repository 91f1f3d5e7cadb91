#include "tools/workspace/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tools/workspace/ignore.h"
#include "tools/workspace/workspace.h"

namespace tern {

namespace {

constexpr std::size_t chunk = 256;  // files of one directory handed to one worker at a time

struct Directory {
  Fd fd;
  std::string path;  // relative, "" or ending in "/"
  IgnoreChain rules;
};
using DirectoryPtr = std::shared_ptr<const Directory>;

// Either a directory still to be opened (`name` below `in`), or files of an open one.
struct Task {
  DirectoryPtr in;
  std::string name;
  std::vector<std::string> files;
};

struct Listing {
  std::vector<std::string> files, directories;
  std::string rule_files;   // which of ".gitignore", ".ignore" are there
  bool repository = false;  // a .git is there
};

struct RawEntry {  // struct linux_dirent64
  ino64_t inode;
  off64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];
};

bool is_dots(const char* name) { return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2])); }

bool is_version_control(std::string_view name) {
  return name == ".git" || name == ".hg" || name == ".svn" || name == ".jj";
}

std::string read_small(int directory, const char* name) {
  std::string text;
  Fd fd(::openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  char buffer[8192];
  for (ssize_t n; fd && (n = ::read(fd.get(), buffer, sizeof buffer)) > 0 && text.size() < (1 << 20);) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

bool list(int fd, Listing& out) {
  alignas(RawEntry) char buffer[32768];
  while (true) {
    long n = ::syscall(SYS_getdents64, fd, buffer, sizeof buffer);
    if (n < 0) return false;
    if (n == 0) return true;
    for (long at = 0; at < n;) {
      auto* entry = reinterpret_cast<RawEntry*>(buffer + at);
      at += entry->length;
      const char* name = entry->name;
      unsigned char type = entry->type;
      if (is_dots(name)) continue;
      if (!std::strcmp(name, ".git")) out.repository = true;
      if (type == DT_UNKNOWN) {
        struct stat st {};
        if (::fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
        type = S_ISDIR(st.st_mode) ? DT_DIR : S_ISREG(st.st_mode) ? DT_REG : DT_LNK;
      }
      if (type == DT_DIR && !is_version_control(name)) out.directories.emplace_back(name);
      if (type == DT_REG) out.files.emplace_back(name);
      if (type == DT_REG && name[0] == '.' &&
          (!std::strcmp(name, ".gitignore") || !std::strcmp(name, ".ignore"))) {
        out.rule_files += name[1];
      }
    }
  }
}

class Walk {
 public:
  Walk(const WalkOptions& options, const std::function<bool(const WalkFile&)>& visit)
      : options_(options), visit_(visit) {}

  WalkResult run(const std::filesystem::path& root) {
    auto above = std::make_shared<Directory>();
    if (options_.use_ignore) above->rules = rules_above(root);
    root_ = root;
    tasks_.push_back({above, root.native(), {}});
    unsigned workers = walk_workers(options_);
    std::vector<std::jthread> threads;
    for (unsigned w = 1; w < workers; ++w) threads.emplace_back([this, w] { work(w); });
    work(0);
    threads.clear();
    return {files_, directories_, ignored_, unreadable_, gave_up_};
  }

 private:
  void work(unsigned worker) {
    while (true) {
      Task task;
      {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [&] { return !tasks_.empty() || busy_ == 0 || gave_up_; });
        if (tasks_.empty() || gave_up_) break;
        task = std::move(tasks_.back());
        tasks_.pop_back();
        ++busy_;
      }
      if (task.files.empty()) {
        enter(task, worker);
      } else {
        visit_files(*task.in, task.files, worker);
      }
      std::lock_guard lock(mutex_);
      if (--busy_ == 0 && tasks_.empty()) ready_.notify_all();
    }
    ready_.notify_all();
  }

  void enter(const Task& task, unsigned worker) {
    if (options_.stop.stop_requested()) return stop();
    auto here = std::make_shared<Directory>();
    bool top = !task.in->fd;
    here->fd = Fd(::openat(top ? AT_FDCWD : task.in->fd.get(), task.name.c_str(),
                           O_RDONLY | O_DIRECTORY | O_CLOEXEC | (top ? 0 : O_NOFOLLOW)));
    here->path = top ? "" : task.in->path + task.name + "/";
    Listing listing;
    if (!here->fd || !list(here->fd.get(), listing)) {
      ++unreadable_;
      return;
    }
    ++directories_;
    here->rules = options_.use_ignore ? with_rules(*here, task.in->rules, listing, top) : nullptr;
    if (!top && options_.directories && !visit_({here->fd.get(), ".", here->path, worker, false})) stop();
    push_directories(here, listing.directories);
    std::vector<std::string>& files = listing.files;
    if (files.size() > chunk) push_chunks(here, files);
    visit_files(*here, files, worker);
  }

  IgnoreChain with_rules(const Directory& here, IgnoreChain chain, const Listing& listing, bool top) const {
    if (listing.repository && !top)
      chain = rules_of_repository(root_ / here.path, chain, "", here.path.size());
    for (auto [mark, name] : {std::pair{'g', ".gitignore"}, std::pair{'i', ".ignore"}}) {
      if (listing.rule_files.find(mark) == std::string::npos) continue;
      auto rules = IgnoreRules::parse(read_small(here.fd.get(), name));
      if (!rules.empty())
        chain = std::make_shared<const IgnoreLevel>(IgnoreLevel{.up = chain,
                                                                .rules = std::move(rules),
                                                                .above = "",
                                                                .strip = here.path.size(),
                                                                .git = mark == 'g'});
    }
    return chain;
  }

  void push_directories(const DirectoryPtr& here, std::vector<std::string>& names) {
    std::string path = here->path;
    std::vector<Task> tasks;
    for (auto& name : names) {
      path.resize(here->path.size());
      path += name;
      if (here->rules && is_ignored(here->rules.get(), path, true)) {
        ++ignored_;
      } else {
        tasks.push_back({here, std::move(name), {}});
      }
    }
    push(std::move(tasks));
  }

  void push_chunks(const DirectoryPtr& here, std::vector<std::string>& files) {
    std::vector<Task> tasks;
    while (files.size() > chunk) {
      auto from = files.end() - static_cast<std::ptrdiff_t>(chunk);
      tasks.push_back({here, {}, {std::make_move_iterator(from), std::make_move_iterator(files.end())}});
      files.erase(from, files.end());
    }
    push(std::move(tasks));
  }

  void push(std::vector<Task> tasks) {
    if (tasks.empty()) return;
    std::lock_guard lock(mutex_);
    for (auto& task : tasks) tasks_.push_back(std::move(task));
    ready_.notify_all();
  }

  void visit_files(const Directory& here, const std::vector<std::string>& files, unsigned worker) {
    std::string path = here.path;
    for (const auto& name : files) {
      if (gave_up_.load(std::memory_order_relaxed)) return;
      path.resize(here.path.size());
      path += name;
      bool ignored = here.rules && is_ignored(here.rules.get(), path, false);
      if (ignored) ++ignored_;
      if (ignored && !options_.report_ignored) continue;
      if (++files_ > options_.most || options_.stop.stop_requested()) return stop();
      if (!visit_({here.fd.get(), name.c_str(), path, worker, ignored})) return stop();
    }
  }

  void stop() {
    gave_up_ = true;
    ready_.notify_all();
  }

  const WalkOptions& options_;
  const std::function<bool(const WalkFile&)>& visit_;
  std::filesystem::path root_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<Task> tasks_;
  std::size_t busy_ = 0;
  std::atomic<std::size_t> files_{0}, directories_{0}, ignored_{0}, unreadable_{0};
  std::atomic<bool> gave_up_{false};
};

}  // namespace

unsigned walk_workers(const WalkOptions& options) {
  return options.workers ? options.workers : std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
}

WalkResult walk(const std::filesystem::path& root, const WalkOptions& options,
                const std::function<bool(const WalkFile&)>& visit) {
  return Walk(options, visit).run(root);
}

}  // namespace tern
