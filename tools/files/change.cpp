#include "tools/files/change.h"

#include "tools/files/encoding.h"
#include "tools/files/file_memory.h"
#include "tools/files/open_buffer.h"
#include "tools/files/tool_changes.h"
#include "tools/set/tool.h"

namespace tern {

ToolOutput failure(std::string text, std::string subject) {
  return {.text = std::move(text), .is_error = true, .subject = std::move(subject)};
}

namespace {

// The change was recorded and not made, or by halves: says so. A kill before this is met by undo, which takes
// the last record of a file for one that may not have been made.
void take_back(ToolContext& ctx, const Place& place, FileChange change, const Written& written) {
  FileChange back{.call_id = ctx.call_id, .path = place.real, .hash_before = change.hash_after};
  back.hash_after = std::move(change.hash_before);
  if (written.in_place) back.hash_after = content_hash(load_file(ctx.workspace, place).bytes);
  ctx.record(std::move(back));
}

}  // namespace

Written commit_change(ToolContext& ctx, const Place& place, const Loaded& before, std::string_view after) {
  if (ctx.rehearsal) return {};
  FileChange change{.call_id = ctx.call_id, .path = place.real, .hash_after = content_hash(after)};
  WriteOptions options{.leftovers = ctx.leftovers};
  if (!before.missing) {
    change.before = before.bytes;
    change.mode_before = before.stamp.mode;
    change.hash_before = content_hash(before.bytes);
    options.expected = before.stamp;
  }
  std::optional<Encoding> encoding;
  if (!before.bytes.empty()) encoding = ctx.files.charset(place.real, before.bytes).encoding;
  const auto seen = ctx.files.seen(place.real);
  const bool saw_all = before.bytes.empty() || (seen && seen->unseen == 0);
  ctx.record(change);
  Written written = atomic_write(ctx.workspace, place, after, options);
  if (!written.error.empty()) {
    take_back(ctx, place, std::move(change), written);
    return written;
  }
  ctx.changes.files.push_back(saw_file(place.real, written.stamp, after, encoding));
  if (saw_all) ctx.changes.files.push_back({place.real, SawLines{}});
  return written;
}

namespace {

Diff diff_of_views(const TextView& before, const TextView& after, std::size_t context) {
  Diff diff = unified_diff(before.text(), after.text(), context);
  diff.text = to_valid_utf8(diff.text);
  return diff;
}

}  // namespace

Diff diff_of_files(std::string_view before, std::string_view after, std::size_t context) {
  return diff_of_views({before, detect(before)}, {after, detect(after)}, context);
}

Diff diff_of_files(std::string_view before, std::string_view after, const Charset& charset) {
  if (before.empty() || charset.encoding == Encoding::binary) return diff_of_files(before, after);
  return diff_of_views({before, charset}, {after, charset_as(after, charset.encoding)}, 3);
}

std::string load_for_change(ToolContext& ctx, const Place& place, Loaded& loaded) {
  if (auto why = barred(place, Access::write, ctx); !why.empty()) return why;
  loaded = load_file(ctx.workspace, place);
  if (loaded.missing) return {};
  if (loaded.error.empty() && !unsaved_text(place, loaded, ctx)) return {};
  if (loaded.error.empty())
    loaded.error = "the editor holds changes of it that are not saved. Ask the user to save them";
  return "Refused to write " + ctx.workspace.display(place.path) + ": " + loaded.error + ".";
}

}  // namespace tern
