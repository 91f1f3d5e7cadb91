#include "agent/mcp/headers_helper.h"

#include <strings.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "compression/text/lines.h"
#include "tools/exec/exchange.h"
#include "tools/set/args.h"

namespace tern {

namespace {

using nlohmann::json;

constexpr std::chrono::seconds kPatience{10};
constexpr std::size_t kMostPrinted = 64u << 10, kLongestWords = 200;

bool may_be_sent(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

std::string run(const ProcessSpec& spec, NamedTexts& headers, std::stop_token stop) {
  Process process;
  if (std::string why = process.start(spec); !why.empty()) return "headersHelper: " + why;
  std::string printed;
  ProcessEnd end;
  if (!exchange(process, {}, printed, end, stop, kPatience))
    return stop.stop_requested() ? "cancelled" : "headersHelper did not end within 10 s";
  if (!end.error.empty()) return "headersHelper: " + end.error;
  if (end.status != 0) return "headersHelper ended with exit status " + std::to_string(end.status);
  return take_headers(printed, headers);
}

}  // namespace

std::string take_headers(std::string_view printed, NamedTexts& headers) {
  const bool readable = printed.size() <= kMostPrinted && !nests_too_deep(printed);
  const json object = readable ? json::parse(printed, nullptr, false) : json();
  if (!object.is_object()) return "headersHelper printed no JSON object";
  for (const auto& [name, value] : object.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : std::string();
    if (!value.is_string() || name.empty() || !may_be_sent(name) || !may_be_sent(text))
      return "headersHelper printed no text for the header \"" + clipped(name, kLongestWords) + "\"";
    const auto is_same = [key = &name](const auto& header) {
      return ::strcasecmp(header.first.c_str(), key->c_str()) == 0;
    };
    std::erase_if(headers, is_same);
    headers.emplace_back(name, text);
  }
  return {};
}

ProcessSpec helper_spec(const McpServer& server, const std::filesystem::path& root,
                        std::vector<std::string> env) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", server.headers_helper};
  spec.cwd = root;
  spec.env = std::move(env);
  spec.env.push_back("CLAUDE_PROJECT_DIR=" + root.string());
  spec.env.push_back("CLAUDE_CODE_MCP_SERVER_NAME=" + server.name);
  spec.env.push_back("CLAUDE_CODE_MCP_SERVER_URL=" + server.url);
  return spec;
}

MoreHeaders headers_of_helper(ProcessSpec spec) {
  spec.two_way = true;
  return [spec = std::move(spec)](NamedTexts& headers, std::stop_token stop) {
    return run(spec, headers, std::move(stop));
  };
}

}  // namespace tern
