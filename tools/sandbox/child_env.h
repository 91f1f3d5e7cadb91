// The environment a command gets: an allow list, never what happens to be set here. Keys, tokens, loader and
// shell hooks do not pass unless the person named them; pagers, editors and prompts are off.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

// `environ` as NAME=value; `allowed` the extra names of the person ("SSH_AUTH_SOCK", "AWS_*").
std::vector<std::string> child_env(const std::vector<std::string>& parent,
                                   const std::vector<std::string>& allowed,
                                   const std::filesystem::path& temp);
std::vector<std::string> current_env();

// NAME=value, in the place of another value of that name.
void set_variable(std::vector<std::string>& env, const std::string& entry);

// True for names that look like a secret (*KEY*, *TOKEN*, *SECRET*, *PASSW*, *CREDENTIAL*, …): never passed
// by a pattern with '*'.
bool looks_secret(std::string_view name);

}  // namespace tern
