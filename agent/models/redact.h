// Secrets never reach store, logs, events, errors or recordings: everything that leaves the process passes
// redact(). Keys in use are registered once and replaced wherever they stand; well-known key shapes are
// replaced in error texts of servers and in recordings. Thread-safe.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tern {

void register_secret(std::string_view secret);  // shorter than 8 characters is not taken for one
// Registered secrets (also in URL and JSON-escaped form) → "[secret]".
std::string redact(std::string text);
void redact_file(const std::filesystem::path& file);  // the same for a file of ours, in place
// As redact(), and also anything that looks like a key: sk-…, AIza…, ghp_…, "Bearer …", JWTs.
std::string redact_shapes(std::string text);
bool holds_secret(std::string_view text);

}  // namespace tern
