// What a person demanded: sentences that say must, never, always, only, do not …, in English and Chinese.
#pragma once

#include <string_view>
#include <vector>

namespace tern {

bool states_rule(std::string_view sentence);

// The sentences of a text that state a rule, borrowed from it, in order; code fences and very long runs are
// passed over.
std::vector<std::string_view> rules_in(std::string_view text);

}  // namespace tern
