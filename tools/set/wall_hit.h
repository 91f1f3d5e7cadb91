// A call that the sandbox did not let through.
#pragma once

#include <string>

namespace tern {

struct WallHit {
  enum class Kind { write, connect } kind = Kind::write;
  std::string target;  // the path, or "address:port"; of a connection empty when only a name was looked up
};

}  // namespace tern
