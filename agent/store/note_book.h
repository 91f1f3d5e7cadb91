// The notes a model keeps for the windows to come: in the store, and as files below `.compression/notes/`
// that a person may read and edit. A file that is not as tern wrote it is taken back, one that is gone takes
// its note along. Belongs to the worker.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

class Store;

struct Note {
  std::string path, text;
  std::uint64_t turn = 0;  // in which it was last written; 0 = by hand, or in another session
};

class NoteBook {
 public:
  // `folder`: the project's own one; empty = the store alone keeps them.
  NoteBook(Store& store, std::filesystem::path folder);

  std::vector<Note> notes();  // by path, after a look at the files
  // For people and the model: what was done, or what is wrong and what would be right.
  std::string read(std::string_view path);
  std::string list();
  std::string search(std::string_view words);
  std::string write(std::string_view path, std::string_view text, std::uint64_t turn,
                    bool append);  // no text: it is removed
  std::uint64_t last_turn();       // of the newest note; 0 = none

 private:
  struct Kept {
    Note note;
    std::string written;  // as it went to its file
  };
  void load();
  void save();
  void look_at_files();
  Kept* find(const std::string& path);

  Store& store_;
  std::filesystem::path folder_;
  std::string session_;  // whose notes these are
  std::vector<Kept> kept_;
};

// The name a note may have: one word without folders, ending in .md; empty when it can be none.
std::string note_name(std::string_view path);

}  // namespace tern
