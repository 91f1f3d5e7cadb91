// What a front end asks the session: one struct a question. They only read, and are answered at once, in the
// middle of a turn as well, by one Page, report, list or Notice.
#pragma once

#include <string>
#include <variant>

namespace tern {

// A question whose words the session reads itself.
struct AskedWords {
  std::string name, argument;
};

using Query = std::variant<AskedWords>;

}  // namespace tern
