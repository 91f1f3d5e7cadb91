// Before-images of every file change tern makes, so that the changes of a turn can be undone without git. A
// change is recorded before it is made, through the functions the agent gives (its store); without them it
// lives in memory. Changes made by commands are found by a scan before and after. Up to most_watched files
// all are watched, and as many copies taken as a scan has time for, so that some commands later there is one
// of each; files the model has seen or the command names come first. In larger trees only those, what lies
// beside or below them and where a pattern of the command looks can be brought back; what else changed or
// came (by its ctime) is left as it is and said to be lost, since nobody knows whether it was there before.
// Not covered at all: ignored files, links, empty directories, files above Shadow::keep_file. It belongs to
// the thread of the session's owner; what a command on another thread needs of it is lent.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compression/text/owner_thread.h"
#include "tools/files/command_scan.h"
#include "tools/files/diff.h"
#include "tools/workspace/file.h"

namespace tern {

class FileMemory;
class Jobs;

struct JournalStore {
  std::function<void(const FileChange&)> save;  // durable when it returns
  std::function<std::vector<FileChange>(std::uint64_t first, std::uint64_t last)> load;  // oldest first
};

struct UndoReport {
  std::vector<std::filesystem::path> restored, removed, already;
  std::map<std::filesystem::path, Diff>
      diffs;  // of those restored and removed: from what stood there to what was put back
  std::vector<std::pair<std::filesystem::path, std::string>> refused;  // and why
  bool empty() const { return restored.empty() && removed.empty() && already.empty() && refused.empty(); }
};

class Journal {
 public:
  // Removes temp files a killed process left (see atomic_write.h); `leftovers` empty = the default place.
  explicit Journal(JournalStore store = {}, std::filesystem::path leftovers = {});

  void hand_over() { owner_.hand_over(); }  // to the thread that uses it next; the one before has ended
  void begin_turn(std::uint64_t turn) { turn_ = turn; }
  std::uint64_t turn() const { return turn_; }
  void record(FileChange change);  // the turn is filled in; on disk when it returns
  void record(FoundChange found);
  std::vector<FileChange> changes(std::uint64_t first, std::uint64_t last) const;

  // Files back to how they were before turn `first`, for the changes of turns first..last. Only what is still
  // as tern left it, and was changed by nobody else in between, is touched; the rest is refused with the
  // reason. preview: says what would happen and writes nothing. redo() takes back what an undo of that name
  // did, under the same rule; names begin with "undo".
  UndoReport undo(const Workspace& workspace, std::uint64_t first, std::uint64_t last, bool preview = false,
                  const std::string& name = "undo");
  UndoReport redo(const Workspace& workspace, const std::string& name, bool preview = false);

  // Around a command of the owner's own thread. after_command() records what differs and returns those paths.
  Scan before_command(const Workspace& workspace, const FileMemory& files, std::string_view command);
  std::vector<std::filesystem::path> after_command(const Workspace& workspace, const Scan& scan,
                                                   const std::string& call_id);

  // The scanner for one command on another thread, taken back when the loan ends.
  class Loan {
   public:
    explicit Loan(Journal& journal);
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() { journal_.lent_ = false; }
    CommandScanner& scanner() const { return journal_.scanner_; }

   private:
    Journal& journal_;
  };

  // The command of this scan goes on as the background job `id`. settle() records what those that have ended
  // changed, under the turn that started them; while the scanner is lent it does nothing, so call it again
  // after the loan. Left out is what was written after the end or recorded meanwhile, and everything for jobs
  // that ran longer than most_beside: a person may have worked in their files all the time, and undo must not
  // take that for the job's.
  static constexpr std::chrono::minutes most_beside{10};
  void watch(std::string id, Scan scan, std::string call_id);
  void settle(const Workspace& workspace, const Jobs& jobs);

  const std::filesystem::path& leftovers() const { return leftovers_; }

 private:
  using Chain = std::vector<const FileChange*>;  // the changes of one file, oldest first
  struct Undo {
    const Workspace& workspace;
    std::string name;
    bool preview = false;
    UndoReport report = {};
  };
  UndoReport undo_all(const std::vector<FileChange>& changes, Undo undo);
  void undo_one(const Chain& chain, Undo& undo);
  void record_undo(const Undo& undo, const Loaded& now, const FileChange& oldest,
                   const std::string& hash_after);
  std::string put_back(const Undo& undo, const Place& place, const Loaded& now, const FileChange& oldest);

  JournalStore store_;
  std::filesystem::path leftovers_;
  std::uint64_t turn_ = 0;
  std::vector<FileChange> memory_;  // only without a store
  CommandScanner scanner_;
  bool lent_ = false;
  struct Watched {
    Scan scan;
    std::string call_id;
    std::uint64_t turn = 0;
  };
  std::map<std::string, Watched> watched_;  // by the job's id
  OwnerThread owner_;
};

}  // namespace tern
