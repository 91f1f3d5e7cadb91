#include "agent/mcp/call_result.h"

#include <atomic>
#include <nlohmann/json.hpp>

#include "agent/mcp/rpc.h"
#include "compression/text/base64.h"
#include "tools/exec/output_ring.h"
#include "tools/workspace/file.h"
#include "tools/workspace/private_file.h"

namespace tern {

namespace {

using nlohmann::json;

class Reader {
 public:
  explicit Reader(const std::filesystem::path& folder) : folder_(folder) {}

  ToolOutput read(json result) {
    const auto structured = result.find("structuredContent");
    if (structured != result.end() && !structured->is_null()) structured_ = &*structured;
    const auto content = result.find("content");
    if (content != result.end() && content->is_array())
      for (json& block : *content) add(block);
    if (structured_ != nullptr) line(one_line(*structured_));
    const auto error = result.find("isError");
    out_.is_error = error != result.end() && error->is_boolean() && error->get<bool>();
    return finished();
  }

  ToolOutput read_contents(json result) {
    const auto contents = result.find("contents");
    if (contents != result.end() && contents->is_array())
      for (json& each : *contents) add_resource(each);
    return finished();
  }

  // What is said to be the assistant's is marked: it was not.
  ToolOutput read_messages(json result) {
    const auto messages = result.find("messages");
    if (messages == result.end() || !messages->is_array()) return finished();
    for (json& each : *messages) {
      if (!each.is_object()) continue;
      if (member_text(each, "role") == "assistant") line("[as an answer of the assistant:]");
      add(each["content"]);
    }
    return finished();
  }

 private:
  ToolOutput finished() {
    if (out_.text.empty()) out_.text = out_.is_error ? "The tool failed and said nothing." : "(no output)";
    out_.text = valid_utf8(std::move(out_.text));
    return std::move(out_);
  }

  static std::string taken(json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? std::move(found->get_ref<std::string&>())
                                                       : std::string();
  }

  void add(json& block) {
    const std::string type = member_text(block, "type");
    if (for_people_only(block)) return;
    if (type == "text") {
      std::string text = taken(block, "text");
      if (structured_ != nullptr && repeats(text)) structured_ = nullptr;
      line(std::move(text));
    } else if (type == "image" || type == "audio") {
      add_bytes(taken(block, "data"), member_text(block, "mimeType"), type);
    } else if (type == "resource_link") {
      add_link(block);
    } else if (type == "resource") {
      add_resource(block["resource"]);
    } else {
      line("[content of the type \"" + type + "\", which is not supported]");
    }
  }

  static bool for_people_only(const json& block) {
    if (!block.is_object()) return true;
    const json annotations = block.value("annotations", json());
    const json audience = annotations.is_object() ? annotations.value("audience", json()) : json();
    return audience.is_array() && audience.size() == 1 && audience.front() == "user";
  }

  void add_link(const json& block) {
    std::string text = "resource " + member_text(block, "uri");
    if (const std::string name = member_text(block, "name"); !name.empty()) text += " (" + name + ")";
    if (const std::string what = member_text(block, "description"); !what.empty()) text += ": " + what;
    line(text);
  }

  void add_resource(json& resource) {
    if (!resource.is_object()) return;
    if (const auto text = resource.find("text"); text != resource.end() && text->is_string())
      line("resource " + member_text(resource, "uri") + ":"), line(taken(resource, "text"));
    else
      add_bytes(taken(resource, "blob"), member_text(resource, "mimeType"),
                "resource " + member_text(resource, "uri"));
  }

  // The kind of an image is what its bytes say, not what the server calls it.
  void add_bytes(const std::string& base64, const std::string& type, const std::string& what) {
    std::string bytes = from_base64(base64);
    const std::string_view image = image_media_type(bytes);
    if (!image.empty()) {
      out_.images.push_back({std::string(image), std::move(bytes)});
      return line("[image]");
    }
    static std::atomic<unsigned> count{0};
    const std::filesystem::path file = folder_ / ("mcp-" + std::to_string(++count));
    const std::string kind = what + (type.empty() ? "" : ", " + type) + ", " + human_size(bytes.size());
    const std::string wrong = bytes.empty() ? "it holds no bytes" : write_private_file(file, bytes);
    line(wrong.empty() ? "[" + kind + ": saved as " + file.string() + "]" : "[" + kind + ": " + wrong + "]");
  }

  // Servers repeat it as text for older clients; then the text is enough.
  bool repeats(const std::string& text) const {
    const bool wraps = structured_->is_object() && structured_->size() == 1;  // {"content": "the text"}
    return (wraps && structured_->front() == text) || json::parse(text, nullptr, false) == *structured_;
  }

  void line(std::string text) {
    if (out_.text.empty()) return void(out_.text = std::move(text));
    out_.text += '\n';
    out_.text += text;
  }

  const std::filesystem::path& folder_;
  ToolOutput out_;
  const json* structured_ = nullptr;  // what no text has repeated yet
};

}  // namespace

ToolOutput output_of_call(json result, const std::filesystem::path& folder) {
  return Reader(folder).read(std::move(result));
}
ToolOutput output_of_resource(json result, const std::filesystem::path& folder) {
  return Reader(folder).read_contents(std::move(result));
}
ToolOutput output_of_prompt(json result, const std::filesystem::path& folder) {
  return Reader(folder).read_messages(std::move(result));
}

}  // namespace tern
