#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/files/change.h"
#include "tools/files/change_preview.h"
#include "tools/files/encoding.h"
#include "tools/search/search.h"
#include "tools/set/args.h"
#include "tools/set/tool.h"
#include "tools/workspace/lookalike.h"

namespace tern {

using nlohmann::json;

namespace {

constexpr std::size_t most_line = 500;  // characters of one matching line
constexpr std::int64_t default_head = 250;

struct Wanted {
  std::string mode;
  std::size_t offset = 0, head = 0;  // head 0 = all
  bool numbers = true, context = false;
  std::filesystem::path base;  // a path of the search, as it is shown
  bool single_file = false, multiline = false;
};

std::string shown_path(const Wanted& wanted, const Workspace& workspace, const std::string& path) {
  return workspace.display(wanted.single_file ? wanted.base : wanted.base / path);
}

std::string plural(std::size_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

// Everything is entries first, then cut to the page that was asked for. `total` counts those that were not
// collected, too.
std::string paged(const std::vector<std::string>& entries, const Wanted& wanted, std::size_t total,
                  bool exact = true) {
  std::size_t from = std::min(wanted.offset, entries.size());
  std::size_t to = wanted.head ? std::min(entries.size(), from + wanted.head) : entries.size();
  std::string text;
  for (std::size_t i = from; i < to; ++i) text += (text.empty() ? "" : "\n") + entries[i];
  if (to < total || from > 0) {
    text += "\n[Showing results with pagination = limit: " + std::to_string(wanted.head) +
            ", offset: " + std::to_string(from) + " of " + (exact ? "" : "at least ") +
            std::to_string(total) + "]";
  }
  return text;
}

std::string files_text(SearchResult& result, const Wanted& wanted, const Workspace& workspace) {
  std::sort(result.files.begin(), result.files.end(), [](const auto& a, const auto& b) {
    return a.mtime_ns != b.mtime_ns ? a.mtime_ns > b.mtime_ns : a.path < b.path;
  });
  std::vector<std::string> entries;
  for (const auto& file : result.files)
    entries.push_back(to_valid_utf8(shown_path(wanted, workspace, file.path)));
  return "Found " + plural(result.files.size(), "file", "files") + "\n" +
         paged(entries, wanted, entries.size());
}

std::string count_text(const SearchResult& result, const Wanted& wanted, const Workspace& workspace) {
  std::vector<std::string> entries;
  std::size_t total = 0;
  for (const auto& file : result.files) {
    entries.push_back(to_valid_utf8(shown_path(wanted, workspace, file.path)) + ":" +
                      std::to_string(file.matches));
    total += file.matches;
  }
  return paged(entries, wanted, entries.size()) + "\n\nFound " +
         plural(total, "total occurrence", "total occurrences") + " across " +
         plural(result.files.size(), "file", "files") + ".";
}

std::string clipped(const std::string& line) {
  std::string valid =
      to_valid_utf8(line.size() > most_line * 4 ? std::string_view(line).substr(0, most_line * 4) : line);
  if (valid.size() <= most_line && line.size() == valid.size()) return valid;
  std::string shown = shorten(valid, most_line);
  return line.size() > shown.size() + 3
             ? shown + " [+" + std::to_string(line.size() - shown.size()) + " bytes]"
             : valid;
}

std::string content_text(const SearchResult& result, const Wanted& wanted, const Workspace& workspace) {
  std::vector<std::string> entries, rest;
  std::size_t left = 0, matches = 0;
  for (const auto& file : result.files) {
    std::string path = to_valid_utf8(shown_path(wanted, workspace, file.path));
    if (wanted.context && !entries.empty()) entries.push_back("--");
    for (const auto& line : file.lines) {
      if (wanted.context && line.gap) entries.push_back("--");
      char mark = line.match ? ':' : '-';
      std::string number = wanted.numbers ? std::to_string(line.number) + mark : "";
      entries.push_back(path + mark + number + clipped(line.text));
    }
    left += file.matches - file.shown;
    matches += file.matches;
    if (file.shown < file.matches)
      rest.push_back("[" + std::to_string(file.matches - file.shown) + " more matches in " + path + "]");
  }
  bool exact = left == 0 || !(wanted.context || wanted.multiline);  // else lines are not matches
  std::string text =
      paged(entries, wanted, exact ? entries.size() + left : std::max(entries.size(), matches), exact);
  for (std::size_t i = 0; !wanted.head && i < rest.size(); ++i) text += "\n" + rest[i];
  return text;
}

std::string skipped_text(const SearchResult& result) {
  std::string text;
  auto say = [&](std::size_t n, const std::string& what) {
    if (n) text += (text.empty() ? "" : ", ") + std::to_string(n) + " " + what;
  };
  say(result.binary, "binary");
  say(result.too_large, "over 256 MB");
  say(result.unreadable, "unreadable");
  say(result.secret, "that may hold secrets (named as path, one is searched when the user agrees)");
  say(result.ignored, "ignored by .gitignore");
  if (!text.empty()) text = "\n[Skipped: " + text + "]";
  if (result.stopped) text += "\n[Stopped before the whole tree was searched.]";
  if (result.gave_up) text += "\n[The pattern is too expensive for some lines; results may be incomplete.]";
  return text;
}

struct Prepared {
  std::optional<Regex> regex;
  std::string notice;
};

Prepared prepare(const std::string& pattern, RegexOptions options) {
  Prepared out;
  std::string error;
  out.regex = Regex::compile(pattern, options, error);
  if (out.regex) return out;
  out.notice = "Regex error in \"" + shorten(pattern, 200) + "\": " + error +
               ". Searched for it as literal text instead (escape special characters with \\).\n";
  options.literal = true;
  out.regex = Regex::compile(pattern, options, error);
  return out;
}

std::string add_type(const std::string& type, SearchOptions& options) {
  if (type.empty()) return {};
  options.types = type_patterns(type);
  if (!options.types.empty()) return {};
  auto close = nearest(type, type_names());
  return "Unknown file type \"" + type + "\"" + (close ? " (did you mean \"" + *close + "\"?)" : "") +
         ". Use glob instead, for example \"*." + type + "\".";
}

ToolOutput run_grep(const json& args, ToolContext& ctx) {
  std::string pattern = text_arg(args, "pattern"), subject = "\"" + pattern + "\"";
  Place place = ctx.workspace.locate(text_arg(args, "path", "."));
  if (auto why = barred(place, Access::read, ctx); !why.empty()) return failure(std::move(why), subject);
  if (!place.exists) return failure(missing_file(ctx.workspace, place), subject);
  if (pattern.empty()) return failure("The pattern is empty.", subject);
  Wanted wanted{.mode = text_arg(args, "output_mode", "files_with_matches"), .base = place.path};
  wanted.offset = static_cast<std::size_t>(std::max<std::int64_t>(0, int_arg(args, "offset", 0)));
  wanted.head =
      static_cast<std::size_t>(std::max<std::int64_t>(0, int_arg(args, "head_limit", default_head)));
  wanted.numbers = flag_arg(args, "-n", true);
  wanted.single_file = std::filesystem::is_regular_file(place.real);
  wanted.multiline = flag_arg(args, "multiline");
  SearchOptions options{.stop = ctx.stop};
  options.secrets = ctx.granted;
  auto lines = [&](const char* name, std::int64_t otherwise) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(int_arg(args, name, otherwise), 0, 10'000));
  };
  auto around = static_cast<std::int64_t>(std::max(lines("-C", 0), lines("context", 0)));
  options.before = lines("-B", around);
  options.after = lines("-A", around);
  wanted.context = options.before || options.after;
  options.lines = wanted.mode == "content";
  options.first_only = wanted.mode == "files_with_matches";
  std::string glob = text_arg(args, "glob");
  if (climbs(glob))
    return failure(
        "glob \"" + glob + "\" matches nothing: it is matched below path. Give the directory as path.",
        subject);
  options.files = GlobSet(glob);
  options.files_from = seen_from_cwd(ctx.workspace, place.path);
  options.most_lines = wanted.head ? (wanted.offset + wanted.head) : 100'000;
  if (auto error = add_type(text_arg(args, "type"), options); !error.empty())
    return failure(std::move(error), subject);
  Prepared prepared = prepare(pattern, {.ignore_case = flag_arg(args, "-i"), .multiline = wanted.multiline});
  if (!prepared.regex) return failure(prepared.notice, subject);

  SearchResult result = search_tree(place.real, *prepared.regex, options);
  std::size_t files = result.files.size(), matches = 0;
  for (const auto& file : result.files) matches += file.matches;
  std::string text = files == 0
                         ? (wanted.mode == "files_with_matches" ? "No files found" : "No matches found")
                     : wanted.mode == "content" ? content_text(result, wanted, ctx.workspace)
                     : wanted.mode == "count"   ? count_text(result, wanted, ctx.workspace)
                                                : files_text(result, wanted, ctx.workspace);
  std::string note = options.first_only
                         ? plural(files, "file", "files")
                         : plural(matches, "hit", "hits") + " in " + plural(files, "file", "files");
  return {.text = prepared.notice + text + skipped_text(result),
          .subject = std::move(subject),
          .note = std::move(note)};
}

std::string pattern_of(const json& args) {
  std::string path = text_arg(args, "path");
  return "\"" + text_arg(args, "pattern") + "\"" + (path.empty() ? "" : " in " + path);
}

}  // namespace

Tool grep_tool() {
  return {
      .name = "Grep",
      .description = "Searches file contents by regex (PCRE), skipping what .gitignore names.",
      .about = "Searches the text of files.",
      .schema = R"({"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string"},)"
                R"("glob":{"type":"string"},)"
                R"("type":{"type":"string"},"output_mode":{"enum":["files_with_matches","content","count"]},)"
                R"("-A":{"type":"integer"},"-B":{"type":"integer"},"-C":{"type":"integer"},)"
                R"("-i":{"type":"boolean"},"-n":{"type":"boolean"},)"
                R"("head_limit":{"type":"integer"},"offset":{"type":"integer"},)"
                R"("multiline":{"type":"boolean"}},"required":["pattern"]})",
      .effects = Effect::read,
      .basic = true,
      .aliases =
          "query=pattern regex=pattern search=pattern include=glob filepattern=glob includepattern=glob "
          "dir=path "
          "directory=path filepath=path dirpath=path context=-C ignorecase=-i limit=head_limit "
          "maxresults=head_limit "
          "contextlines=-C after=-A before=-B linenumbers=-n filetype=type",
      .run = run_grep,
      .subject = pattern_of,
      .label = {},
      .paths = path_of_call,
  };
}

}  // namespace tern
