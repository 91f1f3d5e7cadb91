#include "tests/support/script.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "compression/values/tokens.h"

namespace tern::test {

namespace {

std::string_view word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const auto first = rest.substr(0, rest.find(' '));
  rest.remove_prefix(first.size());
  if (!rest.empty()) rest.remove_prefix(1);
  return first;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> leading_number(std::string_view& rest) {
  auto after = rest;
  const auto value = number(word(after));
  if (value) rest = after;
  return value;
}

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
    if (next == 'n' || next == 't' || next == '\\') {
      out += next == 'n' ? '\n' : next == 't' ? '\t' : '\\';
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\\')
      out += "\\\\";
    else
      out += c;
  }
  return out;
}

std::string arguments_for(std::string_view tool, std::string_view subject) {
  const std::string_view key = tool == "Bash"                     ? "command"
                               : tool == "Grep" || tool == "Glob" ? "pattern"
                                                                  : "path";
  std::string text = "{\"" + std::string(key) + "\":\"";
  for (const char c : subject) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"}";
}

// Reads the lines; an open message takes further blocks until another kind of line comes.
class Reader {
 public:
  void line(std::string_view text) {
    auto rest = text;
    const auto kind = word(rest);
    if (kind.empty() || kind.front() == '#') return;
    if (kind == "system") return speak(Role::system, rest);
    if (kind == "user") return speak(Role::user, rest);
    if (kind == "assistant") return speak(Role::assistant, rest);
    if (kind == "think") return add(Role::assistant, Thinking{unescape(rest), "sig", false});
    if (kind == "say") return add(open_.blocks.empty() ? Role::assistant : open_.role, Text{unescape(rest)});
    if (kind == "call") return call(rest);
    if (kind == "result" || kind == "error") return result(rest, kind == "error");
    if (kind == "image") return add(Role::user, Image{"image/png", std::string(required(rest), 'i')});
    if (kind == "document")
      return add(Role::user, Document{"application/pdf", std::string(required(rest), 'd')});
    if (kind == "summary") return summary(rest);
    if (kind == "pin") return pin(rest);
    if (kind == "at") return at(rest);
    throw std::invalid_argument("script: unknown line: " + std::string(text));
  }

  Conversation finish() {
    close();
    Conversation conversation;
    for (auto& item : items_) conversation.items.push_back(make_item(std::move(item)));
    return conversation;
  }

 private:
  void close() {
    if (!open_.blocks.empty()) items_.push_back(std::move(open_));
    open_ = {};
  }

  void start(Role role, std::optional<std::uint64_t> id = std::nullopt) {
    close();
    if (id) next_id_ = *id;
    open_.id = ItemId{next_id_++};
    open_.role = role;
    open_.when = now_;
    now_ += std::chrono::seconds(10);
  }

  void speak(Role role, std::string_view rest) {
    const auto id = leading_number(rest);
    start(role, id);
    open_.blocks.emplace_back(Text{unescape(rest)});
  }

  void add(Role role, Block block) {
    if (open_.blocks.empty() || open_.role != role ||
        is_results(open_) != std::holds_alternative<ToolResult>(block))
      start(role);
    open_.blocks.push_back(std::move(block));
  }

  static bool is_results(const Item& item) { return std::holds_alternative<ToolResult>(item.blocks.front()); }

  std::uint64_t required(std::string_view& rest) {
    const auto value = leading_number(rest);
    if (!value) throw std::invalid_argument("script: a number is missing before: " + std::string(rest));
    return *value;
  }

  void call(std::string_view rest) {
    const auto n = required(rest);
    const auto tool = word(rest);
    if (calls_.size() <= n) calls_.resize(n + 1);
    calls_[n] = {std::string(tool), unescape(rest)};
    ToolCall call;
    call.id = "c" + std::to_string(n);
    call.name = tool;
    call.arguments = arguments_for(tool, rest);
    add(Role::assistant, std::move(call));
  }

  void result(std::string_view rest, bool is_error) {
    const auto n = required(rest);
    const auto [tool, subject] = n < calls_.size() ? calls_[n] : Call{};
    ToolResult result;
    result.call_id = "c" + std::to_string(n);
    result.tool = tool;
    result.subject = subject;
    result.text = content(rest, tool, subject, static_cast<unsigned>(n));
    result.is_error = is_error;
    result.recall = RecallId{static_cast<std::uint32_t>(n)};
    add(Role::user, std::move(result));
  }

  static std::string content(std::string_view rest, std::string_view tool, std::string_view subject,
                             unsigned seed) {
    auto after = rest;
    const auto first = word(after);
    if (first == "=") return unescape(after);
    const auto n = number(first);
    const auto unit = word(after);
    if (!n || !after.empty()) return unescape(rest);
    const auto count = static_cast<int>(*n);
    if (unit == "lines") return generated_lines(tool, subject, count, seed);
    if (unit == "chars") return generated_lines(tool, subject, count / 8 + 1, seed).substr(0, *n);
    if (unit != "tokens") return unescape(rest);
    std::string text = generated_lines(tool, subject, count / 3 + 1, seed);
    std::size_t low = 0, high = text.size();  // the longest run of whole lines that is not above the count
    while (low < high) {
      const auto newline = text.find('\n', (low + high) / 2);
      const auto end = newline == text.npos ? text.size() : newline + 1;
      if (estimate(std::string_view(text).substr(0, end)) <= count)
        low = end;
      else
        high = (low + high) / 2;
    }
    text.resize(low);
    return text;
  }

  void summary(std::string_view rest) {
    const auto range = word(rest);
    const auto dash = range.find('-');
    start(Role::user);
    open_.synthetic = true;
    const ItemRange covers{{number(range.substr(0, dash)).value()}, {number(range.substr(dash + 1)).value()}};
    open_.blocks.emplace_back(Summary{unescape(rest), covers});
  }

  void pin(std::string_view rest) {
    const auto id = leading_number(rest);
    if (!id || open_.id.value == *id) {
      (open_.blocks.empty() ? items_.back() : open_).pinned = true;
      return;
    }
    for (auto& item : items_) item.pinned |= item.id.value == *id;
  }

  void at(std::string_view rest) {
    const char unit = rest.empty() ? 's' : rest.back();
    const auto n = number(rest.substr(1, rest.size() - 2)).value();
    now_ += std::chrono::seconds(n * (unit == 'h' ? 3600 : unit == 'm' ? 60 : 1));
  }

  struct Call {
    std::string tool, subject;
  };
  std::vector<Item> items_;
  Item open_;
  std::vector<Call> calls_;
  std::uint64_t next_id_ = 1;
  TimePoint now_{std::chrono::hours(24 * 365 * 55)};
};

std::string shown(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return escape(text);
  const auto lines = std::count(text.begin(), text.end(), '\n') + (text.back() != '\n');
  return "<" + std::to_string(lines) + " lines, " + std::to_string(text.size()) + " chars>";
}

std::string number_of(const std::string& call_id) {
  return !call_id.empty() && call_id.front() == 'c' ? call_id.substr(1) : call_id;
}

// The path, command or pattern of the arguments that `call` lines make.
std::string subject_of(const std::string& arguments) {
  const auto colon = arguments.find("\":\"");
  if (colon == arguments.npos || arguments.size() < colon + 5) return arguments;
  std::string text;
  for (std::size_t i = colon + 3; i + 2 < arguments.size(); ++i) {
    if (arguments[i] == '\\') ++i;
    text += arguments[i];
  }
  return text;
}

std::string line_of(const Block& block, std::size_t limit) {
  return std::visit(
      overloaded{
          [&](const Text& b) { return "say " + shown(b.text, limit); },
          [&](const Thinking& b) { return "think " + shown(b.text, limit); },
          [&](const ToolCall& b) {
            return "call " + number_of(b.id) + " " + b.name + " " + subject_of(b.arguments);
          },
          [&](const ToolResult& b) {
            return (b.is_error ? "error " : "result ") + number_of(b.call_id) + " = " + shown(b.text, limit);
          },
          [&](const Image& b) { return "image " + std::to_string(b.blob.size()) + " bytes"; },
          [&](const Document& b) { return "document " + std::to_string(b.blob.size()) + " bytes"; },
          [&](const Summary& b) {
            return "summary " + std::to_string(b.covers.first.value) + "-" +
                   std::to_string(b.covers.last.value) + " " + shown(b.text, limit);
          },
      },
      block);
}

std::string lines_of(const Item& item, std::size_t limit) {
  static constexpr std::string_view names[] = {"system", "user", "assistant"};
  std::string out;
  for (const auto& block : item.blocks) {
    const auto* text = std::get_if<Text>(&block);
    if (text && out.empty()) {
      out += std::string(names[static_cast<int>(item.role)]) + " " + std::to_string(item.id.value) + " " +
             shown(text->text, limit) + "\n";
    } else {
      out += line_of(block, limit) + "\n";
    }
  }
  return item.pinned ? out + "pin\n" : out;
}

std::string line_of(const Edit& edit, std::size_t limit) {
  const std::string id = std::to_string(edit.target.value);
  return std::visit(overloaded{
                        [&](const Replace& r) {
                          return "replace " + id + "." + std::to_string(r.block) + " " +
                                 line_of(r.with, limit) + "\n";
                        },
                        [&](const Drop&) { return "drop " + id + "\n"; },
                        [&](const Insert& i) { return "insert " + id + ": " + lines_of(*i.item, limit); },
                        [&](const Pin& p) { return (p.on ? "pin " : "unpin ") + id + "\n"; },
                    },
                    edit.how);
}

}  // namespace

Conversation script(std::string_view text) {
  Reader reader;
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    reader.line(line);
  }
  return reader.finish();
}

std::string to_script(const Conversation& conversation, std::size_t limit) {
  std::string out;
  for (const auto& item : conversation.items) out += lines_of(*item, limit);
  return out;
}

std::string to_script(const Edits& edits, std::size_t limit) {
  std::string out;
  for (const auto& edit : edits) out += line_of(edit, limit);
  return out;
}

std::string generated_lines(std::string_view tool, std::string_view subject, int lines, unsigned seed) {
  static constexpr std::string_view verbs[] = {"parse", "load",  "render", "merge",
                                               "split", "count", "store",  "check"};
  static constexpr std::string_view nouns[] = {"token",   "frame",  "index", "buffer",
                                               "session", "header", "cursor"};
  std::string out;
  std::uint32_t state = seed * 2654435761u + 12345u;
  for (int i = 1; i <= lines; ++i) {
    state = state * 1664525u + 1013904223u;
    const auto name = std::string(verbs[state >> 29]) + "_" + std::string(nouns[(state >> 20) % 7]);
    const auto n = std::to_string((state >> 8) % 1000);
    if (tool == "Grep")
      out +=
          "src/" + name + ".cpp:" + std::to_string(i) + ":  auto " + name + n + " = " + name + "(input);\n";
    else if (tool == "Bash")
      out += "[" + std::to_string(i) + "] " + name + " finished in " + n + " ms\n";
    else if (tool == "Glob" || tool == "Ls")
      out += std::string(subject) + "/" + name + "_" + n + ".cpp\n";
    else
      out += "  const int " + name + "_" + n + " = " + name + "(cursor, " + std::to_string(i) + ");\n";
  }
  return out;
}

}  // namespace tern::test
