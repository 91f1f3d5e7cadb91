#include "app/config/jsonc_edit.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace tern {
namespace {

using Path = std::vector<std::string>;

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Past blanks and comments.
std::size_t skip(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (blank(text[at])) {
      ++at;
    } else if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      const auto end = text.find("*/", at + 2);
      at = end == text.npos ? text.size() : end + 2;
    } else {
      break;
    }
  }
  return at;
}

std::size_t string_end(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

std::size_t value_end(std::string_view text, std::size_t at) {
  if (at < text.size() && text[at] == '"') return string_end(text, at);
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = string_end(text, at);
      continue;
    }
    if (c == '/') {
      const auto next = skip(text, at);
      if (depth == 0 || next == at) return at;
      at = next;
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}' || c == ']' || blank(c))) return at;
    depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
    ++at;
    if (depth == 0 && (c == '}' || c == ']')) return at;
  }
  return at;
}

struct Member {
  std::string name;
  std::size_t begin = 0, value = 0, end = 0;  // of the name, of the value, past the value
  std::optional<std::size_t> comma;           // after it
};

struct Object {
  std::size_t open = 0, close = 0;
  std::vector<Member> members;
  const Member* find(const std::string& name) const {
    const auto found =
        std::find_if(members.rbegin(), members.rend(), [&](const Member& one) { return one.name == name; });
    return found == members.rend() ? nullptr : &*found;  // of two the last one counts
  }
};

std::string unquoted(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  return json.is_string() ? json.get<std::string>() : std::string(text);
}

Object read_object(std::string_view text, std::size_t at) {
  Object object;
  object.open = at++;
  for (at = skip(text, at); at < text.size() && text[at] == '"'; at = skip(text, at)) {
    Member member;
    member.begin = at;
    const auto name_end = string_end(text, at);
    member.name = unquoted(text.substr(at, name_end - at));
    member.value = skip(text, std::min(skip(text, name_end) + 1, text.size()));  // past the colon
    member.end = value_end(text, member.value);
    at = skip(text, member.end);
    if (at < text.size() && text[at] == ',') member.comma = at++;
    object.members.push_back(std::move(member));
  }
  object.close = at;
  return object;
}

bool is_object(std::string_view text, const Member& member) { return text.substr(member.value, 1) == "{"; }

std::string quoted(const std::string& name) {
  return nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The lines after the first, moved in.
std::string moved_in(std::string_view text, std::string_view indent) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += indent;
  }
  return out;
}

// {"b": {"c": value}} for what is missing of a path; on lines of their own around a value of several.
std::string nested(const Path& path, std::size_t from, std::string_view value) {
  if (from == path.size()) return std::string(value);
  const std::string inner = quoted(path[from]) + ": " + nested(path, from + 1, value);
  const bool lines = value.find('\n') != value.npos;
  return lines ? "{\n  " + moved_in(inner, "  ") + "\n}" : "{" + inner + "}";
}

// The blanks that a place's line begins with.
std::string indent_at(std::string_view text, std::size_t at) {
  const auto line = text.rfind('\n', at) == text.npos ? 0 : text.rfind('\n', at) + 1;
  const auto begin = std::min(text.find_first_not_of(" \t", line), at);
  return std::string(text.substr(line, begin - line));
}

std::string with_member(std::string_view text, const Object& object, const std::string& member) {
  std::string out(text);
  if (object.members.empty()) {
    const bool bare =
        text.substr(object.open + 1, object.close - object.open - 1).find_first_not_of(" \t\r\n") ==
        text.npos;
    const auto at = bare ? object.open + 1 : object.close;
    const std::string outer = indent_at(text, object.open), inner = outer + "  ";
    const std::string line = (bare ? "\n" + inner : "  ") + moved_in(member, inner) + "\n" + outer;
    return out.replace(at, bare ? object.close - at : 0, line);
  }
  const Member& last = object.members.back();
  const bool one_line = text.substr(object.open, last.begin - object.open).find('\n') == text.npos;
  if (one_line)
    return out.insert(last.comma ? *last.comma + 1 : last.end, (last.comma ? " " : ", ") + member);
  // A remark at the end of the last member's line stays with it.
  const auto after = last.comma ? *last.comma + 1 : last.end;
  const auto line_end = std::min(text.find('\n', after), object.close);
  const auto rest = text.substr(after, line_end - after);
  const auto remark = rest.find_first_not_of(" \t");
  const bool keeps = remark != rest.npos && rest.substr(remark, 2) == "//";
  const bool closed = remark != rest.npos && rest.substr(remark, 2) == "/*" && rest.find("*/") != rest.npos;
  const auto place = keeps || closed ? line_end : after;
  const std::string indent = indent_at(text, last.begin);
  out.insert(place, "\n" + indent + moved_in(member, indent));
  if (!last.comma) out.insert(last.end, ",");
  return out;
}

// With its line, when nothing else is in that.
std::string without_member(std::string_view text, const Object& object, const Member& member) {
  auto begin = member.begin, end = member.comma ? *member.comma + 1 : member.end;
  const bool last = &member == &object.members.back();
  const auto line = text.rfind('\n', begin);
  const auto rest = text.find_first_not_of(" \t", end);
  const bool alone = line != text.npos && text.find_first_not_of(" \t", line + 1) == begin &&
                     rest != text.npos && text[rest] == '\n';
  if (alone) begin = line, end = rest;
  std::string out(text);
  out.erase(begin, end - begin);
  if (last && !member.comma && object.members.size() > 1)
    if (const auto& comma = object.members[object.members.size() - 2].comma) out.erase(*comma, 1);
  return out;
}

}  // namespace

std::string set_jsonc(std::string_view text, const Path& path, std::string_view value) {
  std::size_t at = skip(text, 0);
  if (at >= text.size() && value == "null") return std::string(text);
  if (at >= text.size())
    return std::string(text) + "{\n  " + moved_in(quoted(path[0]) + ": " + nested(path, 1, value), "  ") +
           "\n}\n";
  for (std::size_t depth = 0;; ++depth) {
    const Object object = read_object(text, at);
    const Member* member = object.find(path[depth]);
    if (!member && value == "null") return std::string(text);
    if (!member)
      return with_member(text, object, quoted(path[depth]) + ": " + nested(path, depth + 1, value));
    const bool here = depth + 1 == path.size();
    if (here && value == "null") return without_member(text, object, *member);
    if (here || !is_object(text, *member)) {
      std::string out(text);
      return out.replace(member->value, member->end - member->value,
                         moved_in(nested(path, depth + 1, value), indent_at(text, member->begin)));
    }
    at = member->value;
  }
}

bool has_jsonc(std::string_view text, const Path& path) {
  std::size_t at = skip(text, 0);
  for (std::size_t depth = 0; at < text.size() && text[at] == '{'; ++depth) {
    const Object object = read_object(text, at);
    const Member* member = object.find(path[depth]);
    if (!member || depth + 1 == path.size()) return member != nullptr;
    at = member->value;
  }
  return false;
}

}  // namespace tern
