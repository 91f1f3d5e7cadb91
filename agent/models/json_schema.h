// A model's answer against a JSON schema: both as texts. The validator is tools/set/schema_check. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tern {

// Empty when it can be checked against; else what is wrong with it: an unknown type, a $ref that leads
// nowhere.
std::string schema_problem(std::string_view schema);

// The JSON value of a model's answer: the answer itself, or what its one code fence holds. Nothing = it is
// not JSON.
std::optional<std::string> json_of_answer(std::string_view answer);

// Empty when the answer is JSON and matches; else the first thing that does not, with its place: "at
// /items/2: a number is wanted".
std::string schema_mismatch(std::string_view schema, std::string_view answer);

}  // namespace tern
