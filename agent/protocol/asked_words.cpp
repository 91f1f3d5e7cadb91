#include "agent/protocol/asked_words.h"

#include <string>

namespace tern {

Command asked_words(std::string_view name, std::string_view words) {
  return AskedWords{std::string(name), std::string(words)};
}

}  // namespace tern
