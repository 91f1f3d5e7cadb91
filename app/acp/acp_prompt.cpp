#include "app/acp/acp_prompt.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "agent/mcp/file_uri.h"
#include "agent/mcp/rpc.h"
#include "compression/text/base64.h"

namespace tern {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// What a prompt says instead of the address: "@src/a.cpp".
std::string mention(const std::string& uri, const fs::path& cwd) {
  const fs::path path = path_of_uri(uri);
  if (path.empty()) return uri;
  const auto relative = path.lexically_relative(cwd);
  const bool below = !relative.empty() && *relative.begin() != "..";
  return "@" + (below ? relative : path).string();
}

bool attach(AcpPrompt& prompt, const std::string& type, const std::string& data, const std::string& name) {
  auto bytes = from_base64(data);
  if (bytes.empty()) return false;
  prompt.submit.attachments.push_back({name, type, std::move(bytes)});
  return true;
}

struct Reader {
  AcpPrompt& prompt;
  const fs::path& cwd;
  std::string resources = {};  // behind the words

  void take(const json& block) {
    const auto type = member_text(block, "type");
    auto& text = prompt.submit.text;
    if (type == "text")
      text += member_text(block, "text");
    else if (type == "resource_link")
      text += mention(member_text(block, "uri"), cwd);
    else if (type == "image")
      image(block);
    else if (type == "resource" && block.contains("resource"))
      resource(block["resource"]);
    else
      prompt.error = "a prompt of tern cannot hold content of the type \"" + type + "\"";
  }

 private:
  void image(const json& block) {
    const auto type = member_text(block, "mimeType");
    if (!type.starts_with("image/"))
      prompt.error = "an image needs a mimeType that begins with image/";
    else if (!attach(prompt, type, member_text(block, "data"), member_text(block, "uri")))
      prompt.error = "the data of an image is not base64";
  }

  void resource(const json& resource) {
    const auto uri = member_text(resource, "uri"), type = member_text(resource, "mimeType");
    const auto name = mention(uri, cwd);
    prompt.submit.text += name;
    if (const auto text = resource.find("text"); text != resource.end() && text->is_string()) {
      resources +=
          "\n\n<context ref=\"" + name + "\">\n" + text->get_ref<const std::string&>() + "\n</context>";
      return;
    }
    const bool taken = type.starts_with("image/") || type == "application/pdf";
    if (!taken || !attach(prompt, type, member_text(resource, "blob"), uri))
      resources += "\n\n[" + name + " is not text and was left out.]";
  }
};

}  // namespace

AcpPrompt read_prompt(const json& blocks, const fs::path& cwd) {
  AcpPrompt prompt;
  Reader reader{prompt, cwd};
  if (!blocks.is_array()) prompt.error = "\"prompt\" is not a list of content";
  for (const auto& block : blocks) {
    if (!prompt.error.empty()) return prompt;
    reader.take(block);
  }
  prompt.submit.text += reader.resources;
  const bool blank = prompt.submit.text.find_first_not_of(" \t\r\n") == std::string::npos;
  if (prompt.error.empty() && blank && prompt.submit.attachments.empty())
    prompt.error = "the prompt is empty";
  prompt.submit.when = When::after;
  return prompt;
}

}  // namespace tern
