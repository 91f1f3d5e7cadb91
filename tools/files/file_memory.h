// What the model has seen of which file: lets Edit insist on a read, notice that a file changed since (by
// content, not by time), and lets Read answer an unchanged re-read with one line. A value: a copy costs
// nothing until one of the two changes, so a tool on another thread reads a copy and returns what it learnt
// as FileNews, which the owner's learn() takes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compression/text/owner_thread.h"
#include "tools/files/encoding.h"
#include "tools/workspace/file.h"

namespace tern {

struct Seen {
  std::string hash;
  Stamp stamp;
  Encoding encoding = Encoding::utf8;
  std::shared_ptr<const std::string> bytes;  // as last seen; null when too large or long ago
  std::size_t unseen = 1;                    // the first line that no result has shown; 0: all were
};

// A page of the file as one result showed it.
struct FileView {
  std::string hash;
  std::size_t offset = 0, limit = 0;
  bool operator==(const FileView&) const = default;
};

struct SawLines {  // 1-based, both included
  std::size_t first = 1, last = 1, total = 1;
};
struct ShownPage {
  FileView view;
  std::string call_id;
};
// One thing that was learnt of a file: its content, which of its lines were shown, or a page that a result
// shows.
struct FileNews {
  std::filesystem::path real;
  std::variant<Seen, SawLines, ShownPage> what;
};

// After every Read, Edit and Write: this is the file as the model knows it, in the encoding it was read or
// written in.
FileNews saw_file(const std::filesystem::path& real, const Stamp& stamp, std::string_view bytes,
                  std::optional<Encoding> encoding = std::nullopt);

// What an editor shows of a file now; nothing when it does not have it open. Any thread.
using OpenBuffer =
    std::function<std::optional<std::string>(const std::filesystem::path& real, const std::stop_token& stop)>;

class FileMemory {
 public:
  FileMemory();

  OpenBuffer open_buffer;        // not set: tern works for no editor that says so
  bool takes_documents = false;  // the model reads PDFs as they are

  void learn(FileNews news);
  // Of bytes just loaded: as last seen while they are unchanged, so that no edit makes the file look like
  // another encoding.
  Charset charset(const std::filesystem::path& real, std::string_view bytes) const;
  std::optional<Seen> seen(const std::filesystem::path& real) const;
  std::vector<std::filesystem::path> known() const;
  // The call whose result still shows exactly this; empty = none.
  std::string shown_by(const std::filesystem::path& real, const FileView& view) const;

  // When a result was snipped, compacted, dropped or undone: it does not show the file any more.
  void forget_call(std::string_view call_id);
  void forget_shown();
  void clear();  // a new conversation

 private:
  struct State;
  State& own();  // to be changed: parted from the copies
  std::shared_ptr<State> state_;
  OwnerThread owner_;
};

}  // namespace tern
