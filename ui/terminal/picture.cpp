#include "ui/terminal/picture.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "compression/text/image_size.h"
#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest = 32u << 20;  // the worker scales down what is more than models take
constexpr std::size_t header_bytes = 64u << 10, longest_list = 16u << 10;

std::string head_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  std::ifstream in(path, std::ios::binary);
  std::string head(header_bytes, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return head;
}

std::optional<int> hexadecimal(std::string_view digits) {
  int value = 0;
  for (const char c : digits) {
    const bool letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (!letter && (c < '0' || c > '9')) return std::nullopt;
    value = value * 16 + (letter ? (c | 0x20) - 'a' + 10 : c - '0');
  }
  return value;
}

std::string from_url(std::string_view word) {
  word.remove_prefix(std::min(word.find('/', 7), word.size()));  // file:// and a host
  std::string path;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto code =
        word[i] == '%' && i + 2 < word.size() ? hexadecimal(word.substr(i + 1, 2)) : std::nullopt;
    path += code ? static_cast<char>(*code) : word[i];
    i += code ? 2 : 0;
  }
  return path;
}

// As a shell reads them: quotes and backslashes. Nothing when a quote stays open.
std::optional<std::vector<std::string>> shell_words(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == quote)
      quote = 0;
    else if (c == '\\' && quote != '\'' && i + 1 < text.size())
      words.back() += text[++i];
    else
      words.back() += c;
  }
  return quote == 0 ? std::optional(std::move(words)) : std::nullopt;
}

std::string base_name(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

}  // namespace

std::string_view picture_type(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n")) return "image/png";
  if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (bytes.starts_with("GIF8")) return "image/gif";
  return bytes.size() >= 12 && bytes.starts_with("RIFF") && bytes.substr(8, 4) == "WEBP" ? "image/webp" : "";
}

std::vector<std::string> mentioned_files(std::string_view text) {
  std::vector<std::string> files;
  for (std::size_t at = text.find('@'); at != text.npos; at = text.find('@', at + 1)) {
    const bool quoted = at + 1 < text.size() && text[at + 1] == '"';
    const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '\n' || text[at - 1] == '\t';
    if (!quoted && !begins) continue;
    const std::size_t from = at + (quoted ? 2 : 1);
    const std::size_t end =
        std::min(quoted ? text.find('"', from) : text.find_first_of(" \t\n", from), text.size());
    if (end > from) files.emplace_back(text.substr(from, end - from));
  }
  return files;
}

std::string mention(std::string_view path) { return "@\"" + std::string(path) + "\""; }

std::vector<std::string> dropped_pictures(std::string_view pasted, const std::string& home) {
  const std::string_view text = pasted.substr(0, pasted.find_last_not_of(" \t\r\n") + 1);
  if (text.empty() || text.size() > longest_list) return {};
  // A terminal may paste the name as it is, blanks and all.
  const bool one =
      text.starts_with('/') && text.find('\n') == text.npos && !picture_type(head_of(text)).empty();
  auto words = one ? std::vector{std::string(text)} : shell_words(text);
  if (!words) return {};
  for (std::string& word : *words) {
    if (word.starts_with("file://")) word = from_url(word);
    if (word.starts_with("~/")) word = home + word.substr(1);
    const bool named =
        word.starts_with('/') && word.find_first_of("\"\n") == word.npos && is_valid_utf8(word);
    if (!named || picture_type(head_of(word)).empty()) return {};
  }
  return std::move(*words);
}

std::string picture_label(std::string_view text, const std::string& cwd) {
  const auto files = mentioned_files(text);
  if (files.size() != 1 || text != mention(files[0])) return {};
  const std::string head = head_of(fs::path(cwd) / files[0]);
  const std::string_view type = picture_type(head);
  if (type.empty()) return "[Image gone: " + shorten(safe_text(base_name(files[0]), Lines::one), 30) + "]";
  const ImageSize size = image_size(head);
  const std::string pixels =
      size.width > 0 ? std::to_string(size.width) + "x" + std::to_string(size.height) + " " : "";
  return "[Image " + pixels + std::string(type.substr(6)) + "]";
}

std::vector<Attachment> attached_pictures(std::string_view text, const std::string& cwd,
                                          std::string& too_large) {
  std::vector<Attachment> found;
  for (const std::string& name : mentioned_files(text)) {
    const fs::path path = fs::path(cwd) / name;
    const std::string_view type = picture_type(head_of(path));
    const bool twice =
        std::any_of(found.begin(), found.end(), [&](const Attachment& other) { return other.path == name; });
    std::error_code error;
    if (type.empty() || twice) continue;
    if (fs::file_size(path, error) > largest || error) {
      if (too_large.empty()) too_large = name;
      continue;
    }
    std::ifstream in(path, std::ios::binary);
    found.push_back({name, std::string(type), std::string(std::istreambuf_iterator<char>(in), {})});
  }
  return found;
}

}  // namespace tern
