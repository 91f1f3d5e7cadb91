// JSON Schema, the one validator: type, enum, const, format, properties and their counts,
// additionalProperties, items, ranges, lengths, patterns, allOf / anyOf / oneOf / not, if / then / else, and
// $ref into the schema itself. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tern {

// Whether a pattern of the schema's dialect is in a text; one that cannot be read holds for everything.
using FindsPattern = bool (*)(const std::string& pattern, const std::string& text);

// What "#/$defs/Size" means in the schema; null where it leads nowhere.
const nlohmann::json* schema_at(const nlohmann::json& root, const std::string& reference);

// Empty when it can be checked against; else what is wrong with it: an unknown type, a $ref that leads
// nowhere.
std::string schema_problem(const nlohmann::json& schema);

// Empty when the value matches; else the first thing that does not, with its place: "at /items/2: wanted:
// number". `schema` is `root` or a part of it. Without `finds` patterns hold for everything.
std::string schema_mismatch(const nlohmann::json& root, const nlohmann::json& schema,
                            const nlohmann::json& value, FindsPattern finds = nullptr);

}  // namespace tern
