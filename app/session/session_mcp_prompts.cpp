// What a person takes from servers into a prompt: a prompt of theirs as a command, a resource by its name.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/mcp/call_result.h"
#include "agent/mcp/rpc.h"
#include "app/session/session_mcp.h"
#include "compression/text/lines.h"

namespace tern {

namespace {

constexpr std::size_t kMostListed = 500, kMostMentions = 8, kLongestResource = 64u << 10, kLongestHelp = 100;

std::string first_line(const std::string& text) {
  return clipped(text.substr(0, text.find('\n')), kLongestHelp);
}

std::string usage_of(const McpPrompt& prompt) {
  std::string usage;
  for (const McpArgument& each : prompt.arguments)
    usage += (usage.empty() ? "" : " ") + (each.required ? "<" + each.name + ">" : "[" + each.name + "]");
  return usage;
}

// "/server:prompt words" of a prompt.
struct Called {
  std::string command, words;
};
Called called_in(const std::string& text) {
  if (!text.starts_with('/')) return {};
  const std::size_t end = std::min(text.find_first_of(" \n\t"), text.size());
  return {text.substr(1, end - 1), std::string(trimmed(text.substr(end)))};
}

// "@server:uri" with a word's end around it.
std::vector<std::pair<std::string, std::string>> mentions_in(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> found;
  for (std::size_t at = text.find('@'); at != text.npos && found.size() < kMostMentions;
       at = text.find('@', at + 1)) {
    if (at > 0 && std::string_view(" \n\t(").find(text[at - 1]) == std::string_view::npos) continue;
    std::string word = text.substr(at + 1, text.find_first_of(" \n\t", at) - at - 1);
    while (!word.empty() && std::string_view(".,;)?!").find(word.back()) != std::string_view::npos)
      word.pop_back();
    const std::size_t colon = word.find(':');
    if (colon == word.npos || colon + 1 == word.size()) continue;
    std::pair<std::string, std::string> one{word.substr(0, colon), word.substr(colon + 1)};
    if (std::find(found.begin(), found.end(), one) == found.end()) found.push_back(std::move(one));
  }
  return found;
}

void take_images(Submit& input, ToolOutput& output) {
  for (ImageData& image : output.images)
    input.attachments.push_back({"", image.media_type, std::move(image.bytes)});
}

}  // namespace

void SessionMcp::list(std::vector<BroughtCommand>& commands) const {
  if (hub_ == nullptr) return;
  for (const McpState& state : hub_->states()) {
    if (state.phase != McpPhase::ready) continue;
    const std::string source = "MCP server " + state.server.name;
    const bool of_project = state.server.scope == McpScope::project;
    for (const McpPrompt& prompt : state.prompts)
      commands.push_back({mcp_command_name(state.server.name, prompt.name), usage_of(prompt),
                          first_line(prompt.description), source, of_project});
    for (const McpResource& each : state.resources) {
      const bool plain = each.uri.find_first_of(" \n\t") == each.uri.npos;
      if (plain && commands.size() < kMostListed)
        commands.push_back(
            {"@" + state.server.name + ":" + each.uri, "", first_line(each.name), source, of_project});
    }
  }
}

bool SessionMcp::lists_changed() {
  std::vector<BroughtCommand> commands;
  list(commands);
  std::string now;
  for (const BroughtCommand& each : commands) now += each.name + "\n" + each.usage + "\n" + each.help + "\n";
  return std::exchange(listed_, now) != now;
}

bool SessionMcp::names_prompt(std::string_view command) const {
  const std::size_t colon = command.find(':');
  return hub_ != nullptr && colon != command.npos && hub_->find(command.substr(0, colon)) != nullptr;
}

std::string SessionMcp::fill_prompt(Submit& input, const McpAttend& attend,
                                    const std::function<UserAnswer(const UserQuestion&)>& ask,
                                    const std::filesystem::path& folder) const {
  const Called called = called_in(input.text);
  McpConnection* server = hub_->find(called.command.substr(0, called.command.find(':')));
  attend([&](std::stop_token stop) { server->wait_ready(stop, server->server().start_timeout); });
  const McpState state = server->state();
  const auto named = [&](const McpPrompt& each) {
    return mcp_command_name(state.server.name, each.name) == called.command;
  };
  const auto prompt = std::find_if(state.prompts.begin(), state.prompts.end(), named);
  if (prompt == state.prompts.end())
    return "There is no prompt /" + called.command +
           (state.why.empty() ? "." : ": the server is not running: " + state.why);
  McpArguments given = read_arguments(*prompt, called.words);
  for (const McpArgument& each : given.missing) {
    if (!ask)
      return "/" + called.command + " needs " + each.name + ": write it after the name, or as " + each.name +
             "=…";
    const UserAnswer answer =
        ask({.text = "/" + called.command + " needs **" + each.name + "**.\n\n" + each.description,
             .options = {}});
    if (answer.how != UserAnswer::How::written) return "/" + called.command + " was not sent.";
    given.values.emplace_back(each.name, answer.text);
  }
  nlohmann::json arguments = nlohmann::json::object();
  for (const auto& [name, value] : given.values) arguments[name] = value;
  McpAnswer answer;
  attend([&](std::stop_token stop) {
    answer = server->ask("prompts/get", {{"name", prompt->name}, {"arguments", arguments}}, {.stop = stop});
  });
  if (answer.failure != McpFailure::none) return answer.why;
  ToolOutput output = output_of_prompt(std::move(answer.result), folder);
  input.text = "[/" + called.command + (called.words.empty() ? "" : " " + called.words) +
               ", in the words of the MCP server \"" + state.server.name + "\":]\n" + output.text;
  take_images(input, output);
  return {};
}

void SessionMcp::read_mentions(Submit& input, const McpAttend& attend,
                               const std::filesystem::path& folder) const {
  for (const auto& [name, uri] : mentions_in(input.text)) {
    McpConnection* server = hub_->find(name);
    if (server == nullptr) continue;
    McpAnswer answer;
    attend([&, uri = uri](std::stop_token stop) {
      answer = server->ask("resources/read", {{"uri", uri}}, {.stop = stop});
    });
    std::string text = "\n\n[@" + name + ":" + uri;
    if (answer.failure != McpFailure::none) {
      input.text += text + " was not read: " + answer.why + "]";
      continue;
    }
    ToolOutput output = output_of_resource(std::move(answer.result), folder);
    text += ", as the MCP server gives it:]\n" + clipped(output.text, kLongestResource);
    if (output.text.size() > kLongestResource)
      text += "\n[cut here; the tool read_resource of the server gives the whole]";
    input.text += text;
    take_images(input, output);
  }
}

std::string SessionMcp::fill(Submit& input, const McpAttend& attend,
                             const std::function<UserAnswer(const UserQuestion&)>& ask,
                             const std::filesystem::path& folder) const {
  if (hub_ == nullptr) return {};
  if (names_prompt(called_in(input.text).command)) return fill_prompt(input, attend, ask, folder);
  read_mentions(input, attend, folder);
  return {};
}

}  // namespace tern
