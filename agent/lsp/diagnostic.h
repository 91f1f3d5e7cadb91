// What a language server says of a file, as values. Pure; whatever a server writes, reading it never throws.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

enum class DiagnosticLevel { error = 1, warning = 2, information = 3, hint = 4 };

struct Diagnostic {
  int line = 1, column = 1;  // 1-based
  DiagnosticLevel level = DiagnosticLevel::error;
  std::string message;  // one line
  std::string code;
  bool operator==(const Diagnostic&) const = default;
};

// Of a list as publishDiagnostics has it; without doubles, in the order of the file.
std::vector<Diagnostic> read_diagnostics(const nlohmann::json& list);

// The errors of `now` that `before` does not have. An edit moves lines, so what counts is the message, and
// how often it is there.
std::vector<Diagnostic> new_errors(const std::vector<Diagnostic>& before, const std::vector<Diagnostic>& now);

// "ERROR [12:5] use of undeclared identifier 'x'", a row each; those over `most` are counted.
std::string diagnostic_rows(const std::vector<Diagnostic>& list, std::size_t most);

}  // namespace tern
