#include "ui/parts/kept_draft.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "ui/parts/composer.h"

namespace tern {
namespace {

constexpr int most_drafts = 9;
constexpr std::int64_t quiet_ms = 500;

std::string all_of(int fd) {
  std::string text;
  char piece[16'384];
  for (ssize_t n = 0; (n = pread(fd, piece, sizeof piece, static_cast<off_t>(text.size()))) > 0;)
    text.append(piece, static_cast<std::size_t>(n));
  return text;
}

}  // namespace

// The first that nobody holds and that has a text, else the first that nobody holds.
KeptDraft::KeptDraft(const std::string& folder) {
  for (const bool any : {false, true})
    for (int i = 1; i <= most_drafts && fd_ < 0 && !folder.empty(); ++i) {
      file_ = folder + "/draft-" + std::to_string(i);
      fd_ = open(file_.c_str(), O_RDWR | (any ? O_CREAT : 0) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
      if (fd_ < 0) continue;
      const bool free = flock(fd_, LOCK_EX | LOCK_NB) == 0;
      if (free) written_ = all_of(fd_);
      if (free && (any || !written_.empty())) continue;
      close(fd_);
      fd_ = -1;
    }
}

KeptDraft::~KeptDraft() {
  if (fd_ < 0) return;
  if (written_.empty()) unlink(file_.c_str());
  close(fd_);
}

void KeptDraft::restore(Composer& composer) {
  if (!written_.empty()) composer.restore(written_);
  seen_ = composer.raw();
}

std::int64_t KeptDraft::keep(const Composer& composer, std::int64_t now_ms) {
  if (fd_ < 0) return 0;
  if (composer.raw() != seen_) {
    seen_ = composer.raw();
    due_ms_ = composer.empty() ? now_ms : now_ms + quiet_ms;
  }
  if (due_ms_ == 0 || now_ms < due_ms_) return due_ms_;
  flush(composer);
  return 0;
}

void KeptDraft::flush(const Composer& composer) {
  due_ms_ = 0;
  if (std::string text = composer.saved(); fd_ >= 0 && text != written_)
    write(text), written_ = std::move(text);
}

// In place, as the lock is the file's: longer or shorter, the first line is whole at any time but during one
// write.
void KeptDraft::write(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t n = pwrite(fd_, text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (n <= 0) break;  // a full disk: what could be kept is kept
    at += static_cast<std::size_t>(n);
  }
  (void)!ftruncate(fd_, static_cast<off_t>(at));
}

}  // namespace tern
