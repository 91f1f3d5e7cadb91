// What a run of tern has come to: the turns, tokens, dollars and compactions of every session it worked in.
#pragma once

#include <string>
#include <vector>

#include "agent/store/store.h"

namespace tern {

class RunAccount {
 public:
  struct Part {
    std::string session;
    std::uint64_t turns = 0;
    UsageTotal used;
    std::size_t compactions = 0;
  };
  void put(Part part);  // takes the place of what was known of that session
  void forget_turns();  // of the latest session: they go on in a copy
  // As printed on exit; with `resumable`, how to come back to each session.
  std::string text(bool resumable) const;

 private:
  std::vector<Part> parts_;  // the open session last
};

}  // namespace tern
