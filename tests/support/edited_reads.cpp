#include "tests/support/edited_reads.h"

#include <nlohmann/json.hpp>
#include <unordered_set>

#include "compression/text/lines.h"
#include "compression/values/blocks.h"
#include "compression/values/tool_kinds.h"

namespace tern::test {

namespace {

using Json = nlohmann::json;

std::string first_string(const Json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (object.is_object() && object.contains(key) && object[key].is_string()) return object[key];
  }
  return {};
}

std::unordered_set<std::string_view> lines_in(std::string_view text) {
  std::unordered_set<std::string_view> lines;
  each_line_of(text, [&](std::string_view line) { lines.insert(numbered_line(line).text); });
  return lines;
}

struct Open {  // a read whose edits may follow
  std::string call_id;
  std::unordered_set<std::string_view> lines;
};

void take_edits(const Json& input, const Open& read, EditedRead& edited) {
  const auto edits =
      input.contains("edits") && input["edits"].is_array() ? input["edits"] : Json::array({input});
  for (const auto& edit : edits) {
    each_line_of(first_string(edit, {"old_string", "oldText", "old_str"}), [&](std::string_view line) {
      if (!trimmed(line).empty() && read.lines.count(line)) edited.lines.emplace_back(line);
    });
  }
}

}  // namespace

std::size_t EditedRead::shown_in(std::string_view text) const {
  const auto there = lines_in(text);
  std::size_t n = 0;
  for (const auto& line : lines) n += there.count(line);
  return n;
}

std::map<std::string, EditedRead> edited_reads(const Conversation& conversation) {
  std::map<std::string, EditedRead> found;
  std::map<std::string, Open> open;  // by file
  for (const auto& item : conversation.items) {
    for (const auto* call : blocks_of<ToolCall>(*item)) {
      const Json input = Json::parse(call->arguments, nullptr, false);
      const auto file = first_string(input, {"file_path", "path"});
      if (const auto read = open.find(file); read != open.end()) {
        if (reads_files(call->name))
          open.erase(read);
        else
          take_edits(input, read->second, found[read->second.call_id]);
      }
    }
    for (const auto* result : blocks_of<ToolResult>(*item)) {
      if (reads_files(result->tool) && !result->is_error)
        open[result->subject] = {result->call_id, lines_in(result->text)};
    }
  }
  std::erase_if(found, [](const auto& read) { return read.second.lines.empty(); });
  return found;
}

bool asks_for_lines(const ToolCall& call) {
  const Json input = Json::parse(call.arguments, nullptr, false);
  return input.is_object() && (input.contains("offset") || input.contains("limit"));
}

}  // namespace tern::test
