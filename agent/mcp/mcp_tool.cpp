#include "agent/mcp/mcp_tool.h"

#include <nlohmann/json.hpp>

#include "agent/mcp/rpc.h"
#include "compression/text/lines.h"
#include "compression/text/sha256.h"

namespace tern {

namespace {

constexpr std::size_t kLongestName = 64, kHash = 8, kLongestSubject = 80;

std::string subject_of(const nlohmann::json& args) {
  for (const auto& [key, value] : args.items())
    if (value.is_string())
      return clipped(value.get<std::string>().substr(0, kLongestSubject), kLongestSubject);
  return {};
}

}  // namespace

std::string mcp_tool_name(std::string_view server, std::string_view tool) {
  std::string name = "mcp__" + std::string(server) + "__";
  const std::size_t begin = name.size();
  name += tool;
  bool changed = false;
  for (std::size_t i = begin; i < name.size(); ++i) {
    const bool fits =
        (is_name_char(name[i]) && static_cast<unsigned char>(name[i]) < 0x80 && name[i] != '$') ||
        name[i] == '-';
    if (!fits) name[i] = '_', changed = true;
  }
  if (!changed && name.size() <= kLongestName) return name;
  const std::string hash = sha256(std::string(server) + '\n' + std::string(tool)).substr(0, kHash);
  return name.substr(0, kLongestName - kHash - 1) + "_" + hash;
}

Tool mcp_tool(const McpServer& server, const McpToolInfo& info, McpCaller call) {
  Tool tool;
  tool.name = mcp_tool_name(server.name, info.name);
  tool.description = info.description;
  tool.schema = info.schema;
  tool.foreign = true;
  const bool reads = server.trusted && info.says_read_only;
  tool.effects = reads ? EffectSet(Effect::read) : EffectSet(Effect::network);
  tool.vouched = reads;
  tool.run = std::move(call);
  tool.subject = subject_of;
  tool.label = server.name + "/" + info.name;
  return tool;
}

}  // namespace tern
