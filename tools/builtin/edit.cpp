#include "tools/builtin/edit.h"

#include <nlohmann/json.hpp>

#include "tools/files/change.h"
#include "tools/files/change_preview.h"
#include "tools/files/file_memory.h"
#include "tools/files/indent_unit.h"
#include "tools/set/args.h"
#include "tools/set/tool.h"
#include "tools/workspace/lookalike.h"

namespace tern {

using nlohmann::json;

namespace {

constexpr int most_tries = 3;  // when somebody else writes the file at the same moment
constexpr std::size_t shown_diff = 3000;

struct Attempt {
  std::string error, ignoring, indented;
  bool again = false;
  Diff diff, behind;  // what was done, and what had changed before without the model knowing
  bool stale = false;
};

std::string at_edit(const std::vector<EditRequest>& edits, std::size_t index) {
  return edits.size() > 1 ? "Edit " + std::to_string(index + 1) + " of " + std::to_string(edits.size()) +
                                " failed; none was applied. "
                          : "";
}

std::string apply_all(const std::vector<EditRequest>& edits, const Charset& charset, bool stale,
                      const std::stop_token& stop, std::string& bytes, Attempt& attempt) {
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (auto found = find_placeholder(edits[i].new_text, edits[i].old_text); !found.empty()) {
      return at_edit(edits, i) + "new_string contains the placeholder \"" + found +
             "\", which would replace real lines. Write the text out in full, or choose a smaller "
             "old_string.";
    }
    EditOutcome one = apply_edit(bytes, edits[i], charset, stop);
    if (!one.error.empty()) return at_edit(edits, i) + one.error;
    if (stale && one.lines.size() > 1) {
      return "File has been modified since read, either by the user or by a linter, and replace_all would "
             "change " +
             std::to_string(one.lines.size()) + " places in it. Read it again before attempting to write it.";
    }
    bytes = std::move(one.bytes);
    if (!one.ignoring.empty()) attempt.ignoring = std::move(one.ignoring);
    if (!one.indented.empty()) attempt.indented = std::move(one.indented);
  }
  return {};
}

Attempt try_edit(ToolContext& ctx, const Place& place, const std::vector<EditRequest>& edits) {
  Attempt attempt;
  Loaded before;
  attempt.error = load_for_change(ctx, place, before);
  if (!attempt.error.empty()) return attempt;
  if (before.missing) {
    attempt.error = missing_file(ctx.workspace, place);
    return attempt;
  }
  auto seen = ctx.files.seen(place.real);
  if (!seen) {
    attempt.error = "File has not been read yet. Read it first before writing to it.";
    return attempt;
  }
  attempt.stale = seen->hash != content_hash(before.bytes);
  const Charset charset = ctx.files.charset(place.real, before.bytes);
  if (charset.encoding == Encoding::binary || file_kind(before.bytes) == "PDF document") {
    attempt.error = "This is a " +
                    std::string(file_kind(before.bytes).empty() ? "binary file" : file_kind(before.bytes)) +
                    ", not text: Edit would damage it. Nothing was written.";
    return attempt;
  }
  std::string after = before.bytes;
  attempt.error = apply_all(edits, charset, attempt.stale, ctx.stop, after, attempt);
  if (attempt.error.empty() && after == before.bytes) {
    attempt.error = "No changes to make: the file already is as the edit would leave it.";
  }
  if (!attempt.error.empty()) {
    if (attempt.stale) attempt.error += "\nThe file has been modified since it was read: read it again.";
    return attempt;
  }
  if (attempt.stale && seen->bytes) attempt.behind = diff_of_files(*seen->bytes, before.bytes, 1);
  attempt.diff = diff_of_files(before.bytes, after, charset);
  Written written = commit_change(ctx, place, before, after);
  attempt.again = written.changed_meanwhile;
  if (!written.error.empty()) attempt.error = "Could not write the file: " + written.error + ".";
  return attempt;
}

std::string success_text(const std::string& name, const Attempt& attempt) {
  std::string text = "The file " + name + " has been updated: " + change_note(attempt.diff) + " at line " +
                     std::to_string(attempt.diff.first_line) + " (no need to Read it back to check).";
  if (!attempt.ignoring.empty()) {
    text += "\nold_string was matched ignoring " + attempt.ignoring + "; check the result:\n" +
            shorten(attempt.diff.text, shown_diff);
  }
  if (!attempt.indented.empty())
    text += "\nIndentation of new lines taken from the file: " + attempt.indented + ".";
  if (attempt.stale) {
    text +=
        "\nNote: the file had been modified since you read it; old_string was still unique, so the edit was "
        "applied.";
    text += attempt.behind.text.empty()
                ? " Read it again to see what else is different."
                : " What else had changed:\n" + shorten(attempt.behind.text, shown_diff);
  }
  return text;
}

ToolOutput create_file(ToolContext& ctx, const Place& place, const std::string& name,
                       const std::string& content) {
  Loaded before;
  if (auto error = load_for_change(ctx, place, before); !error.empty())
    return failure(std::move(error), name);
  if (!before.missing && !before.bytes.empty()) {
    return failure(
        "Cannot create new file - file already exists. Use Write to replace it, or give the old_string to "
        "change.",
        name);
  }
  Diff diff = diff_of_files("", content);
  Written written = commit_change(ctx, place, before, content);
  if (!written.error.empty()) return failure("Could not write the file: " + written.error + ".", name);
  return {.text = "File created successfully at: " + name,
          .subject = name,
          .note = change_note(diff),
          .diff = std::move(diff.text)};
}

ToolOutput run_edit(const json& args, ToolContext& ctx) {
  return edit_file(
      ctx, text_arg(args, "file_path"),
      {{text_arg(args, "old_string"), text_arg(args, "new_string"), flag_arg(args, "replace_all"), false}});
}

std::string path_of(const json& args) { return text_arg(args, "file_path"); }

}  // namespace

ToolOutput edit_file(ToolContext& ctx, std::string_view path, std::vector<EditRequest> edits) {
  Place place = ctx.workspace.locate(path);
  std::string name = place.error.empty() ? ctx.workspace.display(place.path) : std::string(path);
  if (edits.size() == 1 && edits[0].old_text.empty()) return create_file(ctx, place, name, edits[0].new_text);
  for (auto& edit : edits) {
    edit.take_unit = has_one_unit(name);
    if (edit.old_text.empty())
      return failure("old_string is empty. Give the text to replace; none of the edits was applied.", name);
  }
  Attempt attempt;
  for (int tries = 0; tries < most_tries; ++tries) {
    attempt = try_edit(ctx, place, edits);
    if (!attempt.again) break;
  }
  if (!attempt.error.empty()) return failure(std::move(attempt.error), name);
  return {.text = success_text(name, attempt),
          .subject = name,
          .note = change_note(attempt.diff),
          .diff = attempt.diff.text};
}

Tool edit_tool() {
  return {
      .name = "Edit",
      .description =
          "Replaces an exact string in a file Read before; old_string must be unique unless replace_all.",
      .about = "Changes a passage of a file.",
      .schema =
          R"({"type":"object","properties":{"file_path":{"type":"string"},"old_string":{"type":"string"},)"
          R"("new_string":{"type":"string"},"replace_all":{"type":"boolean"}},"required":["file_path",)"
          R"("old_string","new_string"]})",
      .effects = Effect::write,
      .basic = true,
      .aliases =
          "path=file_path file=file_path filename=file_path oldtext=old_string newtext=new_string "
          "oldstr=old_string "
          "newstr=new_string search=old_string replace=new_string allowmultiple=replace_all",
      .run = run_edit,
      .subject = path_of,
      .label = {},
      .paths = path_of_call,
      .preview = change_preview,
      .rehearses = true,
  };
}

}  // namespace tern
