#include "agent/mcp/call_result.h"

#include <array>
#include <atomic>
#include <nlohmann/json.hpp>

#include "agent/mcp/rpc.h"
#include "tools/exec/output_ring.h"
#include "tools/workspace/file.h"
#include "tools/workspace/private_file.h"

namespace tern {

namespace {

using nlohmann::json;

class Reader {
 public:
  explicit Reader(const std::filesystem::path& folder) : folder_(folder) {}

  ToolOutput read(const json& result) {
    const auto content = result.find("content");
    if (content != result.end() && content->is_array())
      for (const json& block : *content) add(block);
    const auto structured = result.find("structuredContent");
    if (structured != result.end() && !structured->is_null()) add_structured(*structured);
    const auto error = result.find("isError");
    out_.is_error = error != result.end() && error->is_boolean() && error->get<bool>();
    return finished();
  }

  ToolOutput read_contents(const json& result) {
    const json contents = result.value("contents", json::array());
    for (const json& each : contents.is_array() ? contents : json::array()) add_resource(each);
    return finished();
  }

  // What is said to be the assistant's is marked: it was not.
  ToolOutput read_messages(const json& result) {
    const json messages = result.value("messages", json::array());
    for (const json& each : messages.is_array() ? messages : json::array()) {
      if (!each.is_object()) continue;
      if (member_text(each, "role") == "assistant") line("[as an answer of the assistant:]");
      add(each.value("content", json()));
    }
    return finished();
  }

 private:
  ToolOutput finished() {
    if (out_.text.empty()) out_.text = out_.is_error ? "The tool failed and said nothing." : "(no output)";
    out_.text = valid_utf8(std::move(out_.text));
    return std::move(out_);
  }

  void add(const json& block) {
    const std::string type = member_text(block, "type");
    if (for_people_only(block)) return;
    if (type == "text") {
      const std::string text = member_text(block, "text");
      texts_.push_back(text);
      line(text);
    } else if (type == "image" || type == "audio") {
      add_bytes(member_text(block, "data"), member_text(block, "mimeType"), type);
    } else if (type == "resource_link") {
      add_link(block);
    } else if (type == "resource") {
      add_resource(block.value("resource", json::object()));
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

  void add_resource(const json& resource) {
    if (!resource.is_object()) return;
    if (const auto text = resource.find("text"); text != resource.end() && text->is_string())
      line("resource " + member_text(resource, "uri") + ":\n" + text->get<std::string>());
    else
      add_bytes(member_text(resource, "blob"), member_text(resource, "mimeType"), "resource " + member_text(resource, "uri"));
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
  void add_structured(const json& structured) {
    const bool wraps = structured.is_object() && structured.size() == 1;  // {"content": "the text"}
    for (const std::string& text : texts_)
      if (json::parse(text, nullptr, false) == structured || (wraps && structured.front() == text)) return;
    line(one_line(structured));
  }

  void line(std::string_view text) {
    if (!out_.text.empty()) out_.text += '\n';
    out_.text += text;
  }

  const std::filesystem::path& folder_;
  ToolOutput out_;
  std::vector<std::string> texts_;
};

}  // namespace

std::string from_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  static const auto values = [digits] {
    std::array<int, 256> table{};
    table.fill(-1);
    for (std::size_t i = 0; i < digits.size(); ++i) table[static_cast<unsigned char>(digits[i])] = static_cast<int>(i);
    table['-'] = 62, table['_'] = 63;
    return table;
  }();
  std::string bytes;
  unsigned buffer = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=' || c == '\n' || c == '\r') continue;
    const int value = values[static_cast<unsigned char>(c)];
    if (value < 0) return {};
    buffer = buffer << 6 | static_cast<unsigned>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(buffer >> bits & 0xff);
  }
  return bytes;
}

ToolOutput output_of_call(const json& result, const std::filesystem::path& folder) { return Reader(folder).read(result); }
ToolOutput output_of_resource(const json& result, const std::filesystem::path& folder) {
  return Reader(folder).read_contents(result);
}
ToolOutput output_of_prompt(const json& result, const std::filesystem::path& folder) {
  return Reader(folder).read_messages(result);
}

}  // namespace tern
