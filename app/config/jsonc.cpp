#include "app/config/jsonc.h"

#include <algorithm>

#include "tools/set/args.h"

namespace tern {

using Json = nlohmann::json;

// Commas before a closing bracket are taken out first; nlohmann handles the comments.
Json parse_jsonc(std::string_view bytes, std::string& why) {
  std::string clean(bytes);
  if (nests_too_deep(bytes)) return why = "it is nested too deeply", Json(Json::value_t::discarded);
  std::size_t comma = std::string::npos;
  for (std::size_t at = 0; at < clean.size(); ++at) {
    const char c = clean[at];
    if (c == '"') {
      for (++at; at < clean.size() && clean[at] != '"'; ++at) at += clean[at] == '\\';
      comma = std::string::npos;
    } else if (c == '/' && at + 1 < clean.size() && (clean[at + 1] == '/' || clean[at + 1] == '*')) {
      const bool line = clean[at + 1] == '/';
      const std::size_t end = clean.find(line ? "\n" : "*/", at + 2);
      at = end == std::string::npos ? clean.size() : end + (line ? 0 : 1);
    } else if (c == ',') {
      comma = at;
    } else if (c == ']' || c == '}') {
      if (comma != std::string::npos) clean[comma] = ' ';
      comma = std::string::npos;
    } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      comma = std::string::npos;
    }
  }
  try {
    return Json::parse(clean, nullptr, true, true);
  } catch (const Json::parse_error& error) {
    const auto until = std::min<std::size_t>(error.byte, clean.size());
    why = "line " +
          std::to_string(
              1 + std::count(clean.begin(), clean.begin() + static_cast<std::ptrdiff_t>(until), '\n')) +
          " is not JSON";
    return Json(Json::value_t::discarded);
  }
}

}  // namespace tern
