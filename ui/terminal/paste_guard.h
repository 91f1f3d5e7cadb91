// What stands behind the end mark of a paste in the same burst of bytes was pasted, too: no hand is that
// fast, and text on a clipboard may hold the mark itself and a line end behind it. It becomes text; no key of
// it acts. The burst goes on in reads of any size, until the terminal was silent for a moment; a single key
// right behind a paste that is whole is a key. Terminals without paste marks send lines as if they were
// typed: so many keys at once, with more behind an Enter, are a paste. The same holds for what comes after a
// paste that stalled, until its end mark or until somebody clearly types again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ui/terminal/input_parser.h"

namespace tern {

class PasteGuard {
 public:
  // `bytes`: the read that these inputs were made of; a full read means that more was waiting. `now_ms`: of a
  // clock that may stand still while nobody waits for bytes.
  std::vector<Input> sort(std::vector<Input> inputs, std::string_view bytes, std::int64_t now_ms = 0);
  void stalled() {
    stalled_ = true, keys_ = 0, tail_.clear();
  }                                          // the parser gave the paste up that it was reading
  bool in_burst() const { return marked_; }  // a lone escape at the end of the last read belongs to it

 private:
  bool typing(const std::vector<Input>& inputs, std::int64_t now_ms);
  void wake(const std::vector<Input>& inputs, std::int64_t now_ms);
  bool guarding_ = false, stalled_ = false;
  bool marked_ = false;  // something came behind an end mark, so that it was not the last one
  bool full_ = false;    // the last read
  std::int64_t read_ms_ = 0;
  int keys_ = 0;  // single keys with time between them, one after the other
  std::int64_t last_ms_ = 0;
  std::string tail_;  // of the bytes read, where a mark may be cut in two
};

}  // namespace tern
