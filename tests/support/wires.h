// The wire formats the product speaks, one row each: every test that runs over all of them takes them from
// here.
#pragma once

#include <array>
#include <string_view>

namespace tern::test {

struct Wire {
  const char* name;      // as cases and the fake server call it
  const char* provider;  // whose dialect it is
  const char *model, *key, *url;
  const char* path;          // what the provider expects behind the host
  std::string_view mark;     // in the path of its requests
  bool of_each_case = true;  // cases run over it unless they name others
};

inline constexpr std::array all_wires = {
    Wire{"anthropic", "anthropic", "anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL",
         "", "/messages"},
    Wire{"chat", "openai", "openai/gpt-4.1", "OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1", "/chat/completions"},
    Wire{"responses", "responses", "responses/gpt-5", "OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1",
         "/responses"},
    Wire{"gemini", "gemini", "gemini/gemini-2.5-pro", "GEMINI_API_KEY", "GEMINI_BASE_URL", "",
         ":streamGenerateContent"},
    Wire{"ollama", "ollama", "ollama/fake-model", "OLLAMA_API_KEY", "OLLAMA_HOST", "", "/api/chat", false},
};
constexpr const auto& wires() { return all_wires; }

}  // namespace tern::test
