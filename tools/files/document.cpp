#include "tools/files/document.h"

#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tools/exec/process.h"

namespace tern {

using nlohmann::json;

namespace {

constexpr std::size_t most_text = 16u << 20;

// Notebook strings are one string or a list of them.
std::string joined(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string text;
  if (value.is_array()) {
    for (const auto& part : value) {
      if (part.is_string()) text += part.get_ref<const std::string&>();
    }
  }
  return text;
}

std::string with_newline(std::string text) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

std::string output_text(const json& output) {
  if (output.contains("text")) return joined(output["text"]);
  if (output.contains("ename"))
    return joined(output["ename"]) + ": " + joined(output.value("evalue", json("")));
  if (!output.contains("data") || !output["data"].is_object()) return {};
  const json& data = output["data"];
  if (data.contains("text/plain")) return joined(data["text/plain"]);
  return data.empty() ? std::string() : "(" + data.begin().key() + ")";
}

std::string find_program(const char* name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find(':'), rest.size());
    std::string candidate = std::string(rest.substr(0, end)) + "/" + name;
    if (candidate[0] == '/' && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

}  // namespace

std::string notebook_text(std::string_view json_text, std::string& error) {
  json notebook = json::parse(json_text, nullptr, false);
  if (!notebook.is_object() || !notebook.contains("cells") || !notebook["cells"].is_array()) {
    error = "it is not a Jupyter notebook";
    return {};
  }
  std::string text;
  std::size_t number = 0;
  for (const auto& cell : notebook["cells"]) {
    if (!cell.is_object()) continue;
    std::string kind = cell.contains("cell_type") ? joined(cell["cell_type"]) : "";
    text += "# Cell " + std::to_string(++number) + " (" + kind + ")\n";
    if (cell.contains("source")) text += with_newline(joined(cell["source"]));
    if (!cell.contains("outputs") || !cell["outputs"].is_array()) continue;
    for (const auto& output : cell["outputs"]) {
      if (std::string one = output.is_object() ? output_text(output) : ""; !one.empty())
        text += "# Output\n" + with_newline(one);
    }
  }
  return text;
}

std::string pdf_text(const std::filesystem::path& file, const std::filesystem::path& cwd,
                     std::stop_token stop, std::string& error) {
  std::string program = find_program("pdftotext"), text;
  if (program.empty()) {
    error = "pdftotext is not installed on this machine";
    return {};
  }
  ProcessSpec spec{.argv = {program, "-layout", "-q", "--", file.native(), "-"},
                   .cwd = cwd,
                   .env = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}};
  Process process;
  error = process.start(spec);
  if (!error.empty()) return {};
  bool open = true;
  while (true) {
    if (stop.stop_requested() || text.size() > most_text) process.stop(std::chrono::milliseconds(100));
    if (auto end = process.ended(); end && !open) {
      if (end->status != 0) error = "pdftotext ended with status " + std::to_string(end->status);
      return text;
    }
    pollfd ready[2] = {{open ? process.output_fd() : -1, POLLIN, 0}, {process.status_fd(), POLLIN, 0}};
    ::poll(ready, 2, 50);
    if (open) open = process.drain([&](std::string_view piece) { text += piece; });
  }
}

}  // namespace tern
