#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tools/files/change.h"
#include "tools/files/change_preview.h"
#include "tools/files/document.h"
#include "tools/files/encoding.h"
#include "tools/files/file_memory.h"
#include "tools/files/open_buffer.h"
#include "tools/files/read_large.h"
#include "tools/files/read_page.h"
#include "tools/files/smaller_picture.h"
#include "tools/files/tool_changes.h"
#include "tools/set/args.h"
#include "tools/set/tool.h"
#include "tools/workspace/listing.h"
#include "tools/workspace/lookalike.h"

namespace tern {

using nlohmann::json;

namespace {

constexpr std::size_t native_pages = 10;  // of a PDF that goes to the model as it is

struct Wanted {
  std::size_t offset, limit;
  std::string pages;
};

using TellLines = std::function<void(std::size_t first, std::size_t last, std::size_t total)>;

std::string count_note(std::size_t lines) {
  return std::to_string(lines) + (lines == 1 ? " line" : " lines");
}

ToolOutput show(ReadPage page, std::string name, const std::string& notices, std::uint64_t size,
                bool counted_all) {
  std::string text = std::move(page.text), partial = partial_notice(page, size, counted_all);
  std::size_t shown = page.last >= page.first && page.first ? page.last - page.first + 1 : 0;
  if (!partial.empty()) text += "\n" + partial;
  return {.text = text + notices, .subject = std::move(name), .note = count_note(shown)};
}

std::string charset_notice(const Charset& charset) {
  if (charset.broken) {
    return "\n[" + std::to_string(charset.broken) +
           " bytes are not valid UTF-8 and shown as U+FFFD; edits leave them as they are.]";
  }
  if (charset.encoding == Encoding::utf8) return {};
  return "\n[" + std::string(to_string(charset.encoding)) +
         " text, shown as UTF-8; Edit and Write keep the encoding.]";
}

ToolOutput show_text(std::string_view text, const Wanted& wanted, std::string name,
                     const std::string& notices, std::uint64_t size, const TellLines& saw_lines) {
  if (text.empty()) {
    saw_lines(1, 1, 1);
    return {.text = "(empty file)" + notices, .subject = std::move(name), .note = "empty"};
  }
  ReadPage page = page_of(text, wanted.offset, wanted.limit);
  if (page.first != 0 && page.last >= page.first) saw_lines(page.first, page.last, page.total);
  if (page.first == 0) {
    return {.text = "The file has " + count_note(page.total) + "; offset " + std::to_string(wanted.offset) +
                    " is past its end." + notices,
            .subject = std::move(name),
            .note = "past the end"};
  }
  return show(std::move(page), std::move(name), notices, size, true);
}

ToolOutput show_large(const Place& place, const Wanted& wanted, const std::string& name, ToolContext& ctx) {
  Fd fd = ctx.workspace.open(place, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat st {};
  if (!fd || ::fstat(fd.get(), &st) != 0)
    return failure(std::string("Cannot read it: ") + std::strerror(errno), name);
  auto size = static_cast<std::uint64_t>(st.st_size);
  LargePage large = page_of_large(fd.get(), size, wanted.offset, wanted.limit, ctx.stop);
  if (large.charset.encoding == Encoding::binary)
    return failure("It is a binary file (" + human_size(size) + ").", name);
  if (large.page.first == 0) {
    return failure("The file has " + count_note(large.page.total) + "; offset " +
                       std::to_string(wanted.offset) + " is past its end.",
                   name);
  }
  std::string notice;
  if (large.charset.encoding != Encoding::utf8) {
    notice = "\n[" + std::string(to_string(large.charset.encoding)) + " text, shown as UTF-8.]";
  }
  return show(std::move(large.page), name, notice, size, large.counted_all);
}

ToolOutput show_image(Loaded& loaded, std::string_view type, const std::string& name,
                      const ToolContext& ctx) {
  std::string size = human_size(loaded.bytes.size());
  if (is_too_large(loaded.bytes)) {
    if (auto smaller = smaller_picture(loaded.bytes, ctx.sandbox, ctx.stop); !smaller.empty()) {
      loaded.bytes = std::move(smaller);
      type = image_media_type(loaded.bytes);
      size += ", scaled down to " + human_size(loaded.bytes.size());
    }
  }
  if (loaded.bytes.size() > picture_bytes) {
    return failure("The image (" + std::string(type) + ", " + size +
                       ") is larger than the 3.6 MB a model takes. Make a smaller copy with Bash.",
                   name);
  }
  ToolOutput output{.text = "(" + std::string(type) + ", " + size + ")", .subject = name, .note = size};
  output.images.push_back({std::string(type), std::move(loaded.bytes)});
  return output;
}

ToolOutput binary_refused(const Loaded& loaded, const std::string& name) {
  std::string kind(file_kind(loaded.bytes));
  return failure("This is a binary file, not text: " + (kind.empty() ? "unknown type" : kind) + ", " +
                     human_size(loaded.bytes.size()) + ". Use Bash (file, xxd, strings …) to look inside.",
                 name);
}

ToolOutput show_notebook(const Loaded& loaded, const Wanted& wanted, const std::string& name,
                         const TellLines& saw_lines) {
  std::string error;
  std::vector<ImageData> pictures;
  const std::string text = notebook_text(loaded.bytes, pictures, error);
  if (!error.empty()) return show_text(loaded.bytes, wanted, name, "", loaded.bytes.size(), saw_lines);
  ToolOutput output =
      show_text(text, wanted, name, "\n[a notebook, told as text; Edit works on the JSON behind it]",
                text.size(), saw_lines);
  if (wanted.offset == 1) output.images = std::move(pictures);  // once, with its first lines
  return output;
}

// As it is, where the model reads documents and this one is small; else its text.
ToolOutput show_pdf(Loaded& loaded, const Place& place, const Wanted& wanted, const std::string& name,
                    const TellLines& saw_lines, ToolContext& ctx) {
  PageRange range;
  const std::string size = human_size(loaded.bytes.size());
  if (!wanted.pages.empty() && !parse_pages(wanted.pages, range))
    return failure("Pages are a number or a range: " + name + "#3-7.", name);
  const PdfText pdf = pdf_text(place.real, ctx);
  const bool small = pdf.pages.size() <= native_pages && loaded.bytes.size() <= picture_bytes;
  if (ctx.files.takes_documents && small && wanted.pages.empty()) {
    ToolOutput output{.text = "(PDF, " + size + ")", .subject = name, .note = size};
    output.images.push_back({"application/pdf", std::move(loaded.bytes)});
    return output;
  }
  if (!pdf.error.empty()) return failure("This is a PDF document, " + size + ": " + pdf.error + ".", name);
  const std::string all = "\n[text of a PDF of " + std::to_string(pdf.pages.size()) + " pages; " + name +
                          "#3-7 reads pages 3 to 7]";
  const std::string text = text_of_pages(pdf, range);
  if (text.empty()) return failure("There are no such pages." + all, name);
  return show_text(text, wanted, name, all, text.size(), saw_lines);
}

ToolOutput show_loaded(Loaded& loaded, const Place& place, const Wanted& wanted, const std::string& name,
                       ToolContext& ctx) {
  auto type = image_media_type(loaded.bytes);
  const bool pdf = loaded.bytes.starts_with("%PDF-"), document = pdf || place.real.extension() == ".ipynb";
  Charset charset = document ? Charset{} : ctx.files.charset(place.real, loaded.bytes);
  if (type.empty() && charset.encoding == Encoding::binary) return binary_refused(loaded, name);
  std::string notices;
  if (auto shown = document || !type.empty() ? std::nullopt : unsaved_text(place, loaded, ctx)) {
    loaded.bytes = std::move(*shown);
    charset = detect(loaded.bytes);
    notices = "\n[The user's editor holds changes of this file that are not saved; this is its text.]";
  }
  const FileView view{content_hash(loaded.bytes) + wanted.pages, wanted.offset, wanted.limit};
  if (!ctx.files.shown_by(place.real, view).empty()) {
    return {.text = "File unchanged since your last Read. Refer to that earlier tool_result instead.",
            .subject = name,
            .note = "already read",
            .unchanged_reread = true};
  }
  if (!type.empty()) {
    ToolOutput image = show_image(loaded, type, name, ctx);
    if (!image.is_error) ctx.changes.files.push_back({place.real, ShownPage{view, ctx.call_id}});
    return image;
  }
  const TellLines saw_lines = [&](std::size_t first, std::size_t last, std::size_t total) {
    ctx.changes.files.push_back({place.real, SawLines{first, last, total}});
  };
  auto saw = saw_file(place.real, loaded.stamp, loaded.bytes, charset.encoding);
  ToolOutput told;
  if (document)
    told = pdf ? show_pdf(loaded, place, wanted, name, saw_lines, ctx)
               : show_notebook(loaded, wanted, name, saw_lines);
  if (told.is_error) return told;  // it shows nothing to refer to
  ctx.changes.files.push_back({place.real, ShownPage{view, ctx.call_id}});
  ctx.changes.files.push_back(std::move(saw));
  if (document) return told;
  TextView text(loaded.bytes, charset);
  return show_text(text.text(), wanted, name, charset_notice(charset) + notices, loaded.bytes.size(),
                   saw_lines);
}

// "report.pdf#3-7" means those pages. A parameter for it would be paid for by every first request.
struct Asked {
  std::string path, pages;
};
Asked asked_for(const json& args) {
  constexpr std::string_view mark = ".pdf#";
  std::string path = text_arg(args, "file_path");
  const auto at = path.rfind(mark);
  if (at == path.npos) return {std::move(path), {}};
  const auto end = at + mark.size();
  return {path.substr(0, end - 1), path.substr(end)};
}

ToolOutput run_read(const json& args, ToolContext& ctx) {
  const Asked asked = asked_for(args);
  Place place = ctx.workspace.locate(asked.path);
  std::string name = place.error.empty() ? ctx.workspace.display(place.path) : place.given;
  if (auto why = barred(place, Access::read, ctx); !why.empty()) return failure(std::move(why), name);
  Wanted wanted{static_cast<std::size_t>(std::max<std::int64_t>(1, int_arg(args, "offset", 1))),
                static_cast<std::size_t>(std::max<std::int64_t>(1, int_arg(args, "limit", page_lines))),
                asked.pages};
  Loaded loaded = load_file(ctx.workspace, place);
  if (loaded.missing) return failure(missing_file(ctx.workspace, place), name);
  if (loaded.directory) {
    Listing listing = list_directory(ctx.workspace, place);
    if (!listing.error.empty()) return failure(std::move(listing.error), name);
    return {.text = "It is a directory:\n" + listing.text,
            .subject = name,
            .note = std::to_string(listing.entries) + (listing.entries == 1 ? " entry" : " entries")};
  }
  if (loaded.error.empty()) return show_loaded(loaded, place, wanted, name, ctx);
  if (S_ISREG(loaded.stamp.mode) && loaded.stamp.size > edit_limit)
    return show_large(place, wanted, name, ctx);
  return failure("Cannot read " + name + ": " + loaded.error + ".", name);
}

std::string path_of(const json& args) { return asked_for(args).path; }

}  // namespace

Tool read_tool() {
  return {
      .name = "Read",
      .description = "Reads a file as numbered lines (N<TAB>text, 2000 lines by default), or an image.",
      .about = "Reads a file, or looks at a picture.",
      .schema = R"({"type":"object","properties":{"file_path":{"type":"string"},"offset":{"type":"integer"},)"
                R"("limit":{"type":"integer"}},"required":["file_path"]})",
      .effects = Effect::read,
      .duty = ToolDuty::reading,
      .basic = true,
      .aliases =
          "path=file_path file=file_path filename=file_path startline=offset start=offset line=offset "
          "maxlines=limit "
          "lines=limit numlines=limit count=limit",
      .run = run_read,
      .subject = path_of,
      .label = {},
      .paths = [](const json& args) { return std::vector<std::string>{path_of(args)}; },
  };
}

}  // namespace tern
