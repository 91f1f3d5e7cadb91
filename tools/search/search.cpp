#include "tools/search/search.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "tools/files/encoding.h"
#include "tools/workspace/file.h"
#include "tools/workspace/protected_names.h"
#include "tools/workspace/walk.h"

namespace tern {

namespace {

constexpr std::size_t sniffed = 8192;          // bytes looked at to tell binary from text
constexpr std::uint64_t largest = 256u << 20;  // larger files are skipped and said so
constexpr std::size_t first_read = 64 * 1024;

// What one worker owns; nothing here is shared.
struct Worker {
  explicit Worker(const Regex& regex) : matcher(regex), buffer(first_read, '\0') {}
  Matcher matcher;
  std::string buffer, decoded;
  SearchResult result;
};

class Lines {
 public:
  Lines(std::string_view text, const SearchOptions& options, FoundFile& out)
      : text_(text), options_(options), out_(out) {}

  void add(const Match& match) {
    std::size_t begin = line_begin(match.begin),
                end = line_end(std::max(match.begin, match.end > match.begin ? match.end - 1 : match.end));
    if (out_.lines.size() >= options_.most_lines) return;
    count_to(begin);
    ++out_.shown;
    after(begin);
    before(begin);
    for (std::size_t at = begin; at <= end && at < text_.size() + (at == begin); at = line_end(at) + 1) {
      push(number_, at, line_end(at), true);
      ++number_;
    }
    counted_ = std::min(end + 1, text_.size());
    pending_ = options_.after;
    shown_to_ = std::max(shown_to_, end + 1);
  }

  void finish() { after(text_.size()); }

 private:
  std::size_t line_begin(std::size_t at) const { return at == 0 ? 0 : text_.rfind('\n', at - 1) + 1; }
  std::size_t line_end(std::size_t at) const { return std::min(text_.find('\n', at), text_.size()); }

  void count_to(std::size_t at) {
    if (at <= counted_) return;
    number_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                                   text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted_ = at;
  }

  // Context lines that still follow the last match, up to `limit`.
  void after(std::size_t limit) {
    std::size_t number = last_number_;
    for (; pending_ > 0 && shown_to_ < std::min(limit, text_.size()); --pending_) {
      std::size_t end = line_end(shown_to_);
      push(++number, shown_to_, end, false);
      shown_to_ = end + 1;
    }
  }

  void before(std::size_t begin) {
    std::size_t from = begin, lines = 0;
    while (lines < options_.before && from > shown_to_) {
      from = line_begin(from - 1);
      ++lines;
    }
    for (std::size_t at = from; at < begin; at = line_end(at) + 1, --lines)
      push(number_ - lines, at, line_end(at), false);
  }

  void push(std::size_t number, std::size_t begin, std::size_t end, bool match) {
    std::string_view line = text_.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    bool gap = last_number_ != 0 && number > last_number_ + 1;
    out_.lines.push_back({number, match, gap, std::string(line)});
    last_number_ = number;
  }

  std::string_view text_;
  const SearchOptions& options_;
  FoundFile& out_;
  std::size_t counted_ = 0, number_ = 1, shown_to_ = 0, pending_ = 0, last_number_ = 0;
};

// The next match is looked for behind the line of this one: matches are counted by line, as everybody does.
std::size_t behind_line(std::string_view text, const Match& match) {
  std::size_t last = match.end > match.begin ? match.end - 1 : match.end;
  return std::min(text.find('\n', last), text.size()) + 1;
}

void search_text(std::string_view text, Worker& worker, const SearchOptions& options, FoundFile& out) {
  Lines lines(text, options, out);
  for (std::size_t at = 0; at <= text.size() && !text.empty();) {
    auto match = worker.matcher.find(text, at);
    if (!match || (match->begin == text.size() && text.back() == '\n')) break;
    ++out.matches;
    if (options.lines) lines.add(*match);
    if (options.first_only || options.stop.stop_requested()) break;
    at = behind_line(text, *match);
  }
  if (options.lines && out.matches) lines.finish();
}

bool is_utf8(std::string_view text) {
  if (is_ascii(text)) return true;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t n = utf8_length(text, at);
    if (n == 0) return false;
    at += n;
  }
  return true;
}

// The text as Read shows it: decoded where it is not UTF-8, without a mark. Binary files with a NUL are
// skipped.
std::optional<std::string_view> as_text(std::string_view bytes, Worker& worker) {
  bool zeros = std::memchr(bytes.data(), 0, std::min(bytes.size(), sniffed)) != nullptr;
  if (!zeros && (bytes.size() > edit_limit || is_utf8(bytes)))
    return bytes.substr(bytes.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0);
  Charset charset = detect(bytes);
  if (charset.encoding == Encoding::binary || charset.encoding == Encoding::utf8) {
    if (!zeros) return bytes;
    ++worker.result.binary;
    return std::nullopt;
  }
  TextView view(bytes, charset);
  worker.decoded = view.text();
  return worker.decoded;
}

// The file's text in worker.buffer; nullopt when it is skipped (and counted).
std::optional<std::string_view> read_text(int fd, Worker& worker) {
  std::size_t have = 0;
  while (true) {
    ssize_t n = ::read(fd, worker.buffer.data() + have, worker.buffer.size() - have);
    if (n < 0) {
      ++worker.result.unreadable;
      return std::nullopt;
    }
    bool first = have == 0;
    have += static_cast<std::size_t>(n);
    if (n == 0 || (first && have < worker.buffer.size()))
      break;  // a short first read is the whole of a regular file
    if (have > largest) {
      ++worker.result.too_large;
      return std::nullopt;
    }
    if (have == worker.buffer.size()) {
      struct stat st {};
      std::size_t size = ::fstat(fd, &st) == 0 ? static_cast<std::size_t>(st.st_size) : 0;
      worker.buffer.resize(std::max(have + have / 2, std::min<std::size_t>(size + 1, largest + 2)));
    }
  }
  return as_text({worker.buffer.data(), have}, worker);
}

void search_file(int directory, const char* name, std::string_view path, Worker& worker,
                 const SearchOptions& options) {
  Fd fd(::openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW));
  if (!fd) {
    ++worker.result.unreadable;
    return;
  }
  auto text = read_text(fd.get(), worker);
  if (!text) return;
  ++worker.result.searched;
  FoundFile found;
  search_text(*text, worker, options, found);
  if (found.matches == 0) return;
  struct stat st {};
  if (::fstat(fd.get(), &st) == 0) {
    found.mtime_ns = static_cast<std::int64_t>(st.st_mtim.tv_sec) * 1'000'000'000 + st.st_mtim.tv_nsec;
  }
  found.path = path;
  worker.result.files.push_back(std::move(found));
}

bool wanted(std::string_view path, const SearchOptions& options, const GlobSet& types) {
  return (types.empty() || types.match(path)) && options.files.match(path, options.files_from);
}

void merge(SearchResult& into, Worker& worker) {
  SearchResult& one = worker.result;
  std::move(one.files.begin(), one.files.end(), std::back_inserter(into.files));
  into.searched += one.searched;
  into.binary += one.binary;
  into.too_large += one.too_large;
  into.unreadable += one.unreadable;
  into.secret += one.secret;
  into.gave_up |= worker.matcher.gave_up();
}

}  // namespace

std::string seen_from_cwd(const Workspace& workspace, const std::filesystem::path& directory) {
  std::string text = directory.lexically_relative(workspace.cwd()).lexically_normal().native();
  if (text.empty() || text == "." || climbs(text)) return {};
  return text.back() == '/' ? text : text + "/";
}

bool climbs(std::string_view pattern) {
  std::string whole = "/" + std::string(pattern) + "/";
  return whole.find("/../") != whole.npos;
}

SearchResult search_tree(const std::filesystem::path& root, const Regex& regex,
                         const SearchOptions& options) {
  SearchResult result;
  std::string joined;
  for (const auto& one : options.types) joined += one + " ";
  GlobSet types(joined);
  std::vector<Worker> workers;
  struct stat st {};
  if (::stat(root.c_str(), &st) == 0 && S_ISREG(st.st_mode)) {
    workers.emplace_back(regex);
    search_file(AT_FDCWD, root.c_str(), root.filename().native(), workers[0], options);
  } else {
    WalkOptions how{.use_ignore = options.use_ignore, .workers = options.workers, .stop = options.stop};
    for (unsigned w = 0; w < walk_workers(how); ++w) workers.emplace_back(regex);
    auto walked = walk(root, how, [&](const WalkFile& file) {
      if (!wanted(file.path, options, types)) return true;
      auto& worker = workers[file.worker];
      if (!options.secrets && secret_name(file.name))
        ++worker.result.secret;
      else
        search_file(file.directory, file.name, file.path, worker, options);
      return true;
    });
    result.ignored = walked.ignored;
    result.unreadable = walked.unreadable;
    result.stopped = walked.gave_up;
  }
  for (auto& worker : workers) merge(result, worker);
  std::sort(result.files.begin(), result.files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return result;
}

}  // namespace tern
