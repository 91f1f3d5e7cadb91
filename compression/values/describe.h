// One line that stands for a tool result: tool, subject, size, and what mattered, by kind. No model; a light
// lexer per kind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compression/values/conversation.h"

namespace tern {

enum class ResultKind { source, tests, search, listing, diff, commit, json, csv, log, other };
std::string_view to_string(ResultKind kind);
ResultKind kind_of(const ToolResult& result);

// "Read src/utils/parser.ts — 245 lines TypeScript; parseConfig(), validateSchema(), 3 types"
std::string describe(const ToolResult& result);

// "[Compacted: Read src/utils/parser.ts — 245 lines TypeScript; … · r12]"; `note` takes the place of the
// details.
std::string compacted_line(const ToolResult& result, std::string_view note = {});

// --- the kinds, each on its own
// -------------------------------------------------------------------------------------

// The language a path speaks, or nothing.
std::string_view language_of(std::string_view path);

struct SourceNames {
  std::vector<std::string_view> functions, types;  // exported or at the top level, in order, no name twice
};
SourceNames source_names(std::string_view text, std::string_view language);

std::string describe_source(std::string_view text,
                            std::string_view language);  // "parseConfig(), validateSchema(), 3 types"
std::string describe_tests(
    std::string_view text);  // "32 passed, 2 failed: a, b"; empty when it is no test run
std::string describe_search(std::string_view text);   // "9 hits in 3 files (a.cpp, b.cpp, c.h)"
std::string describe_listing(std::string_view text);  // "34 entries, 4 directories"
std::string describe_diff(std::string_view text);     // "2 files, +20 −5 (a.cpp, b.h)"
std::string describe_json(
    std::string_view text);  // "object {name, version, …}", "array of 25 objects {id, name}"
std::string describe_csv(std::string_view text);  // "1,204 rows of 7 columns (id, name, …)"
std::string describe_log(std::string_view text);  // the errors, or the last line

}  // namespace tern
