#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/files/change.h"
#include "tools/files/change_preview.h"
#include "tools/files/edit_match.h"
#include "tools/files/encoding.h"
#include "tools/files/file_memory.h"
#include "tools/set/args.h"
#include "tools/set/tool.h"

namespace tern {

using nlohmann::json;

namespace {

// Every line of the file ends in CRLF: then the new text's lines do, too.
bool all_crlf(std::string_view text) {
  std::size_t lines = 0;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1), ++lines) {
    if (at == 0 || text[at - 1] != '\r') return false;
  }
  return lines > 0;
}

std::string with_crlf(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\n' && (out.empty() || out.back() != '\r')) out += '\r';
    out += c;
  }
  return out;
}

// The content as the existing file's encoding, byte order mark and line endings want it.
std::string fitted(const Loaded& before, const Charset& charset, std::string content, std::string& bytes) {
  if (before.missing || before.bytes.empty()) {
    bytes = std::move(content);
    return {};
  }
  if (charset.encoding == Encoding::binary || file_kind(before.bytes) == "PDF document")
    return "The file there is binary; replacing it with text is refused. Delete it first if that is meant.";
  if (charset.broken != 0 && content.find("\ufffd") != std::string::npos) {
    return std::to_string(charset.broken) +
           " bytes of the file are not valid UTF-8, and the content has U+FFFD, which Read shows in their "
           "place: they would be "
           "lost. Nothing was written. Use Edit, which leaves them as they are.";
  }
  TextView view(before.bytes, charset);
  if (all_crlf(view.text()) && content.find("\r\n") == std::string::npos) content = with_crlf(content);
  std::string misfit;
  auto encoded = encode(content, charset.encoding, misfit);
  if (!encoded) {
    return "The file is " + std::string(to_string(charset.encoding)) + " text, and the content contains " +
           name_character(misfit) +
           ", which does not exist in it. Nothing was written. Use another character, or ask the user "
           "whether to convert the "
           "file to UTF-8.";
  }
  bool marked = content.substr(0, 3) == "\xef\xbb\xbf";
  bytes = (marked ? std::string() : before.bytes.substr(0, charset.mark)) + *encoded;
  return {};
}

std::string objection(ToolContext& ctx, const Place& place, const Loaded& before,
                      const std::string& content) {
  if (before.missing) return {};
  auto seen = ctx.files.seen(place.real);
  if (!seen && !before.bytes.empty())
    return "File has not been read yet. Read it first before writing to it.";
  if (seen && seen->hash != content_hash(before.bytes)) {
    return "File has been modified since read, either by the user or by a linter. Read it again before "
           "attempting to write it.";
  }
  if (seen && seen->unseen != 0) {
    return "Only a part of the file has been read, and Write would replace all of it: lines from " +
           std::to_string(seen->unseen) +
           " on have not been shown. Read them first (offset=" + std::to_string(seen->unseen) +
           "), or use Edit for what is to change.";
  }
  TextView view(before.bytes, ctx.files.charset(place.real, before.bytes));
  if (auto found = find_placeholder(content, view.text()); !found.empty()) {
    return "The content contains the placeholder \"" + found +
           "\", which would replace real lines. Write the file out in full, or use Edit.";
  }
  return {};
}

ToolOutput run_write(const json& args, ToolContext& ctx) {
  Place place = ctx.workspace.locate(text_arg(args, "file_path"));
  std::string name = place.error.empty() ? ctx.workspace.display(place.path) : place.given;
  std::string content = text_arg(args, "content"), bytes;
  Loaded before;
  std::string error = load_for_change(ctx, place, before);
  if (error.empty()) error = objection(ctx, place, before, content);
  const Charset charset = ctx.files.charset(place.real, before.bytes);
  if (error.empty()) error = fitted(before, charset, std::move(content), bytes);
  if (!error.empty()) return failure(std::move(error), name);
  if (!before.missing && bytes == before.bytes) {
    return {.text = "No change: " + name + " already has exactly this content.",
            .subject = name,
            .note = "no change"};
  }
  Diff diff = diff_of_files(before.bytes, bytes, charset);
  Written written = commit_change(ctx, place, before, bytes);
  if (written.changed_meanwhile) {
    return failure(
        "The file was changed by somebody else at this moment; nothing was written. Read it again before "
        "attempting to write it.",
        name);
  }
  if (!written.error.empty()) return failure("Could not write the file: " + written.error + ".", name);
  auto lines = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n')) +
               (!bytes.empty() && bytes.back() != '\n');
  return {
      .text = before.missing ? "File created successfully at: " + name
                             : "The file " + name + " has been updated: " + change_note(diff) + ".",
      .subject = name,
      .note = before.missing ? std::to_string(lines) + (lines == 1 ? " line" : " lines") : change_note(diff),
      .diff = std::move(diff.text)};
}

std::string path_of(const json& args) { return text_arg(args, "file_path"); }

}  // namespace

Tool write_tool() {
  return {
      .name = "Write",
      .description = "Creates or replaces a file; an existing one must be Read before. Prefer Edit.",
      .about = "Creates a file, or replaces the whole of it.",
      .schema =
          R"({"type":"object","properties":{"file_path":{"type":"string"},"content":{"type":"string"}},)"
          R"("required":["file_path","content"]})",
      .effects = Effect::write,
      .basic = true,
      .aliases =
          "path=file_path file=file_path filename=file_path text=content contents=content filetext=content",
      .run = run_write,
      .subject = path_of,
      .label = {},
      .paths = path_of_call,
      .preview = change_preview,
      .rehearses = true,
  };
}

}  // namespace tern
