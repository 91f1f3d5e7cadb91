#include "ui/parts/view_runs.h"

#include <algorithm>
#include <string_view>

#include "compression/values/text_ends.h"
#include "compression/values/tool_kinds.h"

namespace tern {
namespace {

void set_run(std::vector<Cell>& cells, std::size_t begin, std::size_t end) {
  Explored run;
  std::vector<std::string_view> files;
  for (std::size_t i = begin; i < end; ++i) {
    const auto& tool = std::get<ToolCell>(cells[i].body);
    run.running |= tool.running;
    if (!reads_files(tool.tool))
      ++run.searches;
    else if (std::find(files.begin(), files.end(), tool.subject) == files.end())
      files.push_back(tool.subject);
  }
  run.files = static_cast<int>(files.size());
  if (end - begin < 2) run = {};
  for (std::size_t i = begin; i < end; ++i) {
    auto& tool = std::get<ToolCell>(cells[i].body);
    const Explored shown = i == begin ? run : Explored{};
    const bool in_run = i > begin;
    if (tool.run == shown && tool.in_run == in_run) continue;
    tool.run = shown;
    tool.in_run = in_run;
    ++cells[i].version;
  }
}

}  // namespace

bool may_explore(const Cell& cell) {
  const auto* tool = std::get_if<ToolCell>(&cell.body);
  if (!tool || tool->is_error) return false;
  return reads_files(tool->tool) || searches_files(tool->tool) || lists_files(tool->tool);
}

void regroup(std::vector<Cell>& cells, std::size_t at) {
  std::size_t begin = at, end = at;
  while (begin > 0 && may_explore(cells[begin - 1])) --begin;
  while (end < cells.size() && (end == at || may_explore(cells[end]))) ++end;
  if (!may_explore(cells[at])) {  // it failed: what is before it and behind it are runs of their own
    set_run(cells, begin, at);
    set_run(cells, at + 1, end);
    begin = at, end = at + 1;
  }
  set_run(cells, begin, end);
}

void bound_outputs(std::vector<Cell>& cells) {
  constexpr std::size_t most = 8 << 20, ends = 4 << 10;
  std::size_t whole = 0;
  for (auto cell = cells.rbegin(); cell != cells.rend(); ++cell) {
    auto* tool = std::get_if<ToolCell>(&cell->body);
    if (!tool || !tool->recall) continue;
    whole += tool->output.size();
    if (whole <= most || tool->output.size() <= 2 * ends || cell->unfolded) continue;
    tool->output = text_ends(tool->output, ends, tool->recall);
    ++cell->version;
  }
}

}  // namespace tern
