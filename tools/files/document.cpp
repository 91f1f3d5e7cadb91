#include "tools/files/document.h"

#include <poll.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "compression/text/base64.h"
#include "tools/exec/process.h"
#include "tools/files/program_path.h"
#include "tools/sandbox/sandbox.h"
#include "tools/set/tool.h"
#include "tools/workspace/file.h"
#include "tools/workspace/workspace.h"

namespace tern {

using nlohmann::json;

namespace {

constexpr std::size_t most_text = 16u << 20, most_pictures = 8, most_picture_bytes = 1u << 20;
constexpr std::chrono::seconds patience{30};

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

// A plot and its like. Empty: there is none that a model takes, or enough of them are there already.
std::string picture_text(const json& data, std::vector<ImageData>& pictures) {
  for (const char* type : {"image/png", "image/jpeg", "image/gif"}) {
    if (!data.contains(type) || pictures.size() >= most_pictures) continue;
    std::string bytes = from_base64(joined(data[type]));
    const auto kind = image_media_type(bytes);
    if (kind.empty() || bytes.size() > most_picture_bytes) continue;
    pictures.push_back({std::string(kind), std::move(bytes)});
    return "[picture " + std::to_string(pictures.size()) + "]";
  }
  return {};
}

std::string output_text(const json& output, std::vector<ImageData>& pictures) {
  if (output.contains("text")) return joined(output["text"]);
  if (output.contains("ename"))
    return joined(output["ename"]) + ": " + joined(output.value("evalue", json("")));
  if (!output.contains("data") || !output["data"].is_object()) return {};
  const json& data = output["data"];
  if (std::string picture = picture_text(data, pictures); !picture.empty()) return picture;
  if (data.contains("text/plain")) return joined(data["text/plain"]);
  return data.empty() ? std::string() : "(" + data.begin().key() + ")";
}

}  // namespace

std::string notebook_text(std::string_view json_text, std::vector<ImageData>& pictures, std::string& error) {
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
      if (std::string one = output.is_object() ? output_text(output, pictures) : ""; !one.empty())
        text += "# Output\n" + with_newline(one);
    }
  }
  return text;
}

PdfText pdf_text(const std::filesystem::path& file, const ToolContext& ctx) {
  PdfText pdf;
  const std::string program = find_program("pdftotext");
  if (program.empty()) {
    pdf.error = "pdftotext is not installed on this machine";
    return pdf;
  }
  ProcessSpec spec{.argv = {program, "-layout", "-q", "--", file.native(), "-"},
                   .cwd = ctx.workspace.root(),
                   .env = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}};
  if (ctx.sandbox.on) spec.sandbox = look_only(ctx.sandbox);
  spec.sandbox.notices = Notices::none;
  Process process;
  pdf.error = process.start(spec);
  if (!pdf.error.empty()) return pdf;
  std::string text;
  std::optional<ProcessEnd> end;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (bool open = true; !end || open; end = process.ended()) {
    const bool late = std::chrono::steady_clock::now() > deadline;
    if (late) pdf.error = "pdftotext takes longer than " + std::to_string(patience.count()) + " s";
    if (late || ctx.stop.stop_requested() || text.size() > most_text)
      process.stop(std::chrono::milliseconds(100));
    pollfd ready[2] = {{open ? process.output_fd() : -1, POLLIN, 0}, {process.status_fd(), POLLIN, 0}};
    ::poll(ready, 2, 50);
    if (open) open = process.drain([&](std::string_view piece) { text += piece; });
  }
  if (end->status != 0 && pdf.error.empty())
    pdf.error = "pdftotext ended with status " + std::to_string(end->status);
  for (std::size_t begin = 0, feed; (feed = text.find('\f', begin)) != text.npos; begin = feed + 1)
    pdf.pages.push_back(text.substr(begin, feed - begin));
  return pdf;
}

bool parse_pages(std::string_view text, PageRange& range) {
  const auto dash = text.find('-');
  const auto number = [](std::string_view digits, std::size_t& into) {
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), into);
    return read.ec == std::errc() && read.ptr == digits.data() + digits.size() && into > 0;
  };
  if (!number(text.substr(0, dash), range.first)) return false;
  range.last = dash == text.npos ? range.first : 0;
  const auto rest = dash == text.npos ? std::string_view() : text.substr(dash + 1);
  return rest.empty() || (number(rest, range.last) && range.last >= range.first);
}

std::string text_of_pages(const PdfText& pdf, const PageRange& range) {
  std::string text;
  const auto last = range.last == 0 ? pdf.pages.size() : std::min(range.last, pdf.pages.size());
  for (std::size_t n = range.first; n <= last; ++n)
    text += "[page " + std::to_string(n) + "]\n" + with_newline(pdf.pages[n - 1]);
  return text;
}

}  // namespace tern
