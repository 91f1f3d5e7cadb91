#include "tools/change.h"

#include "tools/encoding.h"
#include "tools/file_memory.h"
#include "tools/journal.h"
#include "tools/tool.h"

namespace tern {

ToolOutput failure(std::string text, std::string subject) {
  return {.text = std::move(text), .is_error = true, .subject = std::move(subject)};
}

Written commit_change(ToolContext& ctx, const Place& place, const Loaded& before, std::string_view after) {
  FileChange change{.call_id = ctx.call_id, .path = place.real, .hash_after = content_hash(after)};
  WriteOptions options{.leftovers = ctx.journal.leftovers()};
  if (!before.missing) {
    change.before = before.bytes;
    change.mode_before = before.stamp.mode;
    change.hash_before = content_hash(before.bytes);
    options.expected = before.stamp;
  }
  std::optional<Encoding> encoding;
  if (!before.bytes.empty()) encoding = ctx.files.charset(place.real, before.bytes).encoding;
  ctx.journal.record(std::move(change));
  Written written = atomic_write(ctx.workspace, place, after, options);
  if (written.error.empty()) ctx.files.saw(place.real, written.stamp, after, encoding);
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
  if (loaded.error.empty() || loaded.missing) return {};
  return "Refused to write " + ctx.workspace.display(place.path) + ": " + loaded.error + ".";
}

}  // namespace tern
