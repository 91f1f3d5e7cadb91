// Arguments as models really send them, against the small part of JSON schema our tools use (type,
// properties, required, enum, minimum, items). Wrong spelling of a name, numbers and booleans in strings and
// arrays sent as text are understood, unknown parameters are ignored unless the schema has
// additionalProperties: true. What fails is answered with all issues at once and the parameter that was
// probably meant.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

// "filePath", "file-path" → "filepath": how names are compared.
std::string plain_name(std::string_view name);

std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate closest to `name`, when it is close enough to be worth saying.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates);

// `aliases` as in Tool::aliases. Changes `args` to what the schema says; the issues found, one per entry.
// A foreign schema is a server's: what it does not name is kept, and what it says in a way of its own is left
// to the server.
std::vector<std::string> check_args(const nlohmann::json& schema, std::string_view aliases,
                                    nlohmann::json& args, bool foreign = false);

// schema[key] when it is there and an object, or an array; else an empty one.
const nlohmann::json& object_in(const nlohmann::json& schema, const char* key);
const nlohmann::json& array_in(const nlohmann::json& schema, const char* key);

// Deeper than anybody means it: to copy or to print such a value would overrun the stack.
bool nests_too_deep(std::string_view json);

// A number that counts something: what is none, or is beyond what a double holds exactly, is `otherwise`.
std::int64_t whole_number(const nlohmann::json& value, std::int64_t otherwise);

// Reading checked arguments.
std::string text_arg(const nlohmann::json& args, const char* name, std::string_view otherwise = "");
std::int64_t int_arg(const nlohmann::json& args, const char* name, std::int64_t otherwise);
bool flag_arg(const nlohmann::json& args, const char* name, bool otherwise = false);

// "Text with the file's first two lines…" cut to `most` bytes at a UTF-8 boundary.
std::string shorten(std::string_view text, std::size_t most);

}  // namespace tern
