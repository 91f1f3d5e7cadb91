#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/files/change.h"
#include "tools/files/change_preview.h"
#include "tools/files/encoding.h"
#include "tools/set/args.h"
#include "tools/set/tool.h"
#include "tools/workspace/ignore.h"
#include "tools/workspace/listing.h"
#include "tools/workspace/lookalike.h"

namespace tern {

using nlohmann::json;

namespace {

constexpr std::size_t most_entries = 1000;

struct Entry {
  bool directory;
  std::string name, detail;
  bool operator<(const Entry& other) const {
    return directory != other.directory ? directory : name < other.name;
  }
};

std::string shown_name(std::string_view name) {
  std::string out;
  for (char c : to_valid_utf8(name)) {
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return out;
}

Entry describe(int directory, const char* name) {
  struct stat st {};
  Entry entry{false, shown_name(name), ""};
  if (::fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0) return entry;
  entry.directory = S_ISDIR(st.st_mode);
  if (S_ISREG(st.st_mode)) {
    entry.detail = human_size(static_cast<std::uint64_t>(st.st_size));
  } else if (S_ISLNK(st.st_mode)) {
    char target[1024];
    ssize_t n = ::readlinkat(directory, name, target, sizeof target);
    entry.detail = "-> " + (n > 0 ? shown_name({target, static_cast<std::size_t>(n)}) : "?");
  } else if (!entry.directory) {
    entry.detail = S_ISFIFO(st.st_mode) ? "FIFO" : S_ISSOCK(st.st_mode) ? "socket" : "device";
  }
  return entry;
}

ToolOutput run_ls(const json& args, ToolContext& ctx) {
  Place place = ctx.workspace.locate(text_arg(args, "path", "."));
  std::string name = place.error.empty() ? ctx.workspace.display(place.path) : place.given;
  if (auto why = barred(place, Access::read, ctx); !why.empty()) return failure(std::move(why), name);
  std::vector<std::string> ignore;
  if (args.contains("ignore")) ignore = args["ignore"].get<std::vector<std::string>>();
  Listing listing = list_directory(ctx.workspace, place, ignore);
  if (!listing.error.empty()) return failure(std::move(listing.error), name);
  return {.text = std::move(listing.text),
          .subject = name,
          .note = std::to_string(listing.entries) + (listing.entries == 1 ? " entry" : " entries")};
}

std::string path_of(const json& args) { return text_arg(args, "path", "."); }

}  // namespace

Listing list_directory(const Workspace& workspace, const Place& place,
                       const std::vector<std::string>& ignore) {
  Listing out;
  Fd fd = workspace.open(place, O_RDONLY | O_DIRECTORY);
  if (!fd) {
    out.error = errno == ENOENT    ? missing_file(workspace, place)
                : errno == ENOTDIR ? "It is a file, not a directory: use Read."
                                   : std::string("Cannot list it: ") + std::strerror(errno) + ".";
    return out;
  }
  std::string patterns;
  for (const auto& one : ignore) patterns += one + "\n";
  IgnoreRules rules = IgnoreRules::parse(patterns);
  std::vector<Entry> entries;
  int handle = fd.get();
  std::unique_ptr<DIR, int (*)(DIR*)> directory(::fdopendir(fd.release()), ::closedir);
  while (dirent* raw = directory ? ::readdir(directory.get()) : nullptr) {
    std::string_view name = raw->d_name;
    if (name == "." || name == ".." || rules.match(name, raw->d_type == DT_DIR) == IgnoreMatch::ignored)
      continue;
    ++out.entries;
    if (entries.size() < most_entries) entries.push_back(describe(handle, raw->d_name));
  }
  std::sort(entries.begin(), entries.end());
  out.text = place.path.native() + "/";
  for (const auto& entry : entries) {
    out.text += "\n- " + entry.name + (entry.directory ? "/" : "") +
                (entry.detail.empty() ? "" : "  " + entry.detail);
  }
  if (out.entries == 0) out.text += "\n(empty directory)";
  if (out.entries > entries.size()) {
    out.text += "\n[" + std::to_string(out.entries - entries.size()) +
                " more entries not shown; use Glob with a pattern]";
  }
  return out;
}

Tool ls_tool() {
  return {
      .name = "LS",
      .description = "Lists a directory.",
      .about = "Lists a folder.",
      .schema = R"({"type":"object","properties":{"path":{"type":"string"},"ignore":{"type":"array",)"
                R"("items":{"type":"string"}}}})",
      .effects = Effect::read,
      .basic = false,
      .aliases = "filepath=path dir=path directory=path dirpath=path folder=path",
      .run = run_ls,
      .subject = path_of,
      .label = {},
      .paths = path_of_call,
  };
}

}  // namespace tern
