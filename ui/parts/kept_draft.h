// What stands in the prompt, kept on disk while it is written: a hang-up, a kill or a crash takes no draft.
// One private file per running tern of a project (`draft-1`, `draft-2`, …), held by a lock; the next start
// takes what nobody holds any more.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tern {

class Composer;

class KeptDraft {
 public:
  explicit KeptDraft(const std::string& folder);  // empty: nothing is kept
  ~KeptDraft();                                   // an empty draft leaves no file
  KeptDraft(const KeptDraft&) = delete;
  KeptDraft& operator=(const KeptDraft&) = delete;

  void restore(Composer& composer);
  // After each change: written half a second later, at once when it was sent or cleared. 0, or when to call
  // again.
  std::int64_t keep(const Composer& composer, std::int64_t now_ms);
  void flush(const Composer& composer);  // on the way out

 private:
  void write(std::string_view text);
  int fd_ = -1;
  std::string file_, written_, seen_;
  std::int64_t due_ms_ = 0;
};

}  // namespace tern
