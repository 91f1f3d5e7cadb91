// What the model has seen of which file: lets Edit insist on a read, notice that a file changed since (by content, not by
// time), and lets Read answer an unchanged re-read with one line. Safe from any thread; every answer is a copy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/encoding.h"
#include "tools/file.h"

namespace tern {

struct Seen {
  std::string hash;
  Stamp stamp;
  Encoding encoding = Encoding::utf8;
  std::shared_ptr<const std::string> bytes;  // as last seen; null when too large or long ago
  std::size_t unseen = 1;                    // the first line that no result has shown; 0: all were
};

class FileMemory {
 public:
  // After every Read, Edit and Write: this is the file as the model knows it, in the encoding it was read or written in.
  void saw(const std::filesystem::path& real, const Stamp& stamp, std::string_view bytes,
           std::optional<Encoding> encoding = std::nullopt);
  // Of what saw() was told, the model was shown these lines (1-based, both included) out of `total`.
  void saw_lines(const std::filesystem::path& real, std::size_t first, std::size_t last, std::size_t total);
  void saw_all(const std::filesystem::path& real) { saw_lines(real, 1, 1, 1); }
  // Of bytes just loaded: as last seen while they are unchanged, so that no edit makes the file look like another encoding.
  Charset charset(const std::filesystem::path& real, std::string_view bytes) const;
  std::optional<Seen> seen(const std::filesystem::path& real) const;
  std::vector<std::filesystem::path> known() const;

  // A page of the file as one result showed it.
  struct View {
    std::string hash;
    std::size_t offset = 0, limit = 0;
    bool operator==(const View&) const = default;
  };
  void shown(const std::filesystem::path& real, const View& view, const std::string& call_id);
  // The call whose result still shows exactly this; empty = none.
  std::string shown_by(const std::filesystem::path& real, const View& view) const;

  // The agent calls these when a result was snipped, compacted, dropped or undone: it does not show the file any more.
  void forget_call(std::string_view call_id);
  void forget_shown();
  void clear();  // a new conversation

 private:
  struct Record {
    Seen seen;
    std::uint64_t order = 0;
    std::vector<std::pair<View, std::string>> views;
    std::vector<std::pair<std::size_t, std::size_t>> lines;  // of these bytes, that were shown
  };
  void drop_old_bytes();

  mutable std::mutex mutex_;
  std::map<std::filesystem::path, Record> records_;
  std::size_t bytes_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace tern
