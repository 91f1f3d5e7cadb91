#include "agent/models/redact.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <mutex>
#include <vector>

namespace tern {
namespace {

struct Secrets {
  std::mutex mutex;
  std::vector<std::string> texts;  // longest first, so that a key inside a key leaves nothing behind
};

Secrets& secrets() {
  static Secrets instance;
  return instance;
}

constexpr std::string_view mask = "[secret]";

std::string percent_encoded(std::string_view text) {
  static constexpr char hex[] = "0123456789ABCDEF";
  std::string out;
  for (unsigned char c : text) {
    if (std::isalnum(c) || c == '-' || c == '_' || c == '.' || c == '~')
      out += char(c);
    else
      out += {'%', hex[c >> 4], hex[c & 15]};
  }
  return out;
}

void remember(std::vector<std::string>& texts, std::string text) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
}

void replace_all(std::string& text, std::string_view what) {
  auto at = text.find(what);
  if (at == text.npos) return;
  std::string out;
  std::size_t from = 0;
  for (; at != text.npos; at = text.find(what, from)) {
    out.append(text, from, at - from).append(mask);
    from = at + what.size();
  }
  text = std::move(out.append(text, from));
}

bool holds_any(std::string_view text, const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& secret) {
    return ::memmem(text.data(), text.size(), secret.data(), secret.size()) != nullptr;
  });
}

// In pieces that overlap by less than the longest: most outputs are large and hold none.
bool file_holds_any(const std::filesystem::path& file, const std::vector<std::string>& texts) {
  std::ifstream in(file, std::ios::binary);
  const std::size_t overlap = texts.front().size() - 1;
  std::string piece(std::size_t(1) << 20, '\0');
  for (std::size_t kept = 0; in;) {
    in.read(piece.data() + kept, static_cast<std::streamsize>(piece.size() - kept));
    const auto end = kept + static_cast<std::size_t>(in.gcount());
    if (holds_any({piece.data(), end}, texts)) return true;
    kept = std::min(overlap, end);
    std::copy(piece.data() + end - kept, piece.data() + end, piece.data());
  }
  return false;
}

bool key_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.' || c == '/' ||
         c == '+' || c == '=';
}

struct Shape {
  std::string_view start;
  std::size_t at_least;  // characters after the start
  bool keep_start;
};
constexpr Shape shapes[] = {
    {"sk-", 20, false},         {"AIza", 30, false},   {"ghp_", 30, false},   {"gho_", 30, false},
    {"github_pat_", 30, false}, {"xoxb-", 20, false},  {"xoxp-", 20, false},  {"AKIA", 16, false},
    {"eyJ", 40, false},         {"Bearer ", 16, true}, {"bearer ", 16, true}, {"gsk_", 20, false},
    {"glpat-", 16, false},      {"hf_", 30, false},
};

void mask_shape(std::string& text, const Shape& shape) {
  for (auto at = text.find(shape.start); at != text.npos;) {
    auto end = at + shape.start.size();
    while (end < text.size() && key_char(text[end])) ++end;
    const bool word_start = at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1]));
    auto next = end;
    if (word_start && end - at - shape.start.size() >= shape.at_least) {
      const auto from = shape.keep_start ? at + shape.start.size() : at;
      text.replace(from, end - from, mask);
      next = from + mask.size();
    }
    at = text.find(shape.start, next);
  }
}

}  // namespace

void register_secret(std::string_view secret) {
  if (secret.size() < 8) return;
  std::lock_guard lock(secrets().mutex);
  auto& texts = secrets().texts;
  remember(texts, std::string(secret));
  remember(texts, percent_encoded(secret));
  std::sort(texts.begin(), texts.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

std::string redact(std::string text) {
  std::lock_guard lock(secrets().mutex);
  for (const std::string& secret : secrets().texts) replace_all(text, secret);
  return text;
}

std::string redact_shapes(std::string text) {
  text = redact(std::move(text));
  for (const Shape& shape : shapes) mask_shape(text, shape);
  return text;
}

void redact_file(const std::filesystem::path& file) {
  {
    std::lock_guard lock(secrets().mutex);
    if (secrets().texts.empty() || !file_holds_any(file, secrets().texts)) return;
  }
  std::ifstream in(file, std::ios::binary);
  const auto clean = redact({std::istreambuf_iterator<char>(in), {}});
  std::ofstream(file, std::ios::binary | std::ios::trunc) << clean;
}

bool holds_secret(std::string_view text) {
  std::lock_guard lock(secrets().mutex);
  return holds_any(text, secrets().texts);
}

}  // namespace tern
