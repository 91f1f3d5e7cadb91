// A tool's name belongs to its own file: what else the program knows of a tool it knows by its duty, its
// effects or the kind of its name (compression/values/tool_kinds). The rows below are all the exceptions.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/places.h"

namespace {

namespace fs = std::filesystem;

struct Exception {
  const char *place, *reason;
};
constexpr Exception exceptions[] = {
    {"tools/set/tool_set.cpp", "names that other agents have taught their models"},
    {"tools/builtin/multi_edit.cpp", "its label says what people see"},
    {"compression/values/tool_kinds", "what a name in a log says about its results"},
    {"agent/gate/", "the language of permission rules"},
    {"app/session/session_skills.cpp", "a permission rule"},
    {"app/session/session_queries.cpp", "the title of a page"},
    {"agent/store/usage_row.h", "limits on cost name tools"},
    {"agent/models/demo", "a scripted model calls tools by name, as any model does"},
};

const char* reason_for(const std::string& file) {
  for (const auto& [place, reason] : exceptions)
    if (file.starts_with(place)) return reason;
  return nullptr;
}

std::vector<std::string> source_lines(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line.substr(0, line.find("//")));
  return lines;
}

// `.name = "Read",` or `tool.name = "McpTools";` where tools are made; a helper's is a constant.
std::set<std::string> tool_names(const fs::path& tree) {
  const std::regex row(R"re(\.name = "([A-Z]\w+|context_\w+)"[,;])re");
  std::set<std::string> names{"Task"};
  for (const char* room : {"tools/builtin", "agent/web", "agent/lsp", "agent/mcp", "app/session"})
    for (const auto& entry : fs::directory_iterator(tree / room))
      for (const auto& line : source_lines(entry.path()))
        if (std::smatch found; std::regex_search(line, found, row)) names.insert(found[1]);
  return names;
}

}  // namespace

TEST_CASE("no file names a tool but the tool's own") {
  const fs::path tree(tern::places::source_tree());
  const auto names = tool_names(tree);
  REQUIRE(names.size() > 20);
  const std::regex word(R"re("(\w+)")re");
  std::set<std::string> used;
  for (const char* folder : {"app", "agent", "compression", "tools", "ui"})
    for (const auto& entry : fs::recursive_directory_iterator(tree / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      const auto file = fs::relative(entry.path(), tree).generic_string();
      for (const auto& line : source_lines(entry.path())) {
        if (line.find(".name = ") != line.npos) continue;
        for (std::sregex_iterator at(line.begin(), line.end(), word), end; at != end; ++at) {
          if (!names.contains((*at)[1])) continue;
          INFO(file << ": " << line);
          const auto* reason = reason_for(file);
          CHECK(reason != nullptr);
          if (reason) used.insert(reason);
        }
      }
    }
  CHECK(used.size() == std::size(exceptions));  // an exception that nobody needs any more goes
}
