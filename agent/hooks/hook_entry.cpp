#include "agent/hooks/hook_entry.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "compression/text/plain_text.h"
#include "compression/text/sha256.h"
#include "tools/search/regex.h"
#include "tools/set/args.h"
#include "tools/workspace/workspace.h"

namespace tern {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{600'000};
constexpr milliseconds kFarewell{1'500};  // of SessionEnd: nobody wants to wait when leaving
constexpr std::uintmax_t kLargestScript = 1u << 20;

std::string text_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool flag_in(const json& object, const char* key, bool otherwise = false) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

std::vector<std::string> texts_in(const json& object, const char* key) {
  std::vector<std::string> texts;
  for (const auto& one : array_in(object, key))
    if (one.is_string()) texts.push_back(one.get<std::string>());
  return texts;
}

milliseconds patience_of(const json& handler, HookEvent event) {
  const auto found = handler.find("timeout");
  if (found == handler.end() || !found->is_number() || found->get<double>() <= 0)
    return event == HookEvent::session_end ? kFarewell : kPatience;
  return milliseconds(static_cast<long long>(std::min(found->get<double>(), 86'400.0) * 1000));
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

// Words as a shell would see them, roughly: quotes only group. A file that is written to is none of them.
std::vector<std::string> rough_words(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0, last = 0;
  bool written = false;  // the word at hand
  const auto end_word = [&] {
    if (!word.empty() && !std::exchange(written, false)) words.push_back(word);
    word.clear();
  };
  for (const char c : command) {
    if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? 0 : c;
    } else if (quote == 0 && std::string_view(" \t\n;|&()<>=").find(c) != std::string_view::npos) {
      end_word();
      const bool opens = c == '>' && last != '<';  // "<>" also reads
      written = opens || (written && std::string_view(" \t&>").find(c) != std::string_view::npos);
    } else {
      word += c;
    }
    last = c;
  }
  end_word();
  return words;
}

// The text of a file of the project that a word names; nothing when it is none.
std::string script_text(const fs::path& root, const std::string& word) {
  std::error_code error;
  const fs::path path = fs::canonical(root / word, error);
  if (error || !is_under(fs::canonical(root, error), path) || !fs::is_regular_file(path, error)) return {};
  if (fs::file_size(path, error) > kLargestScript)
    return "large " + std::to_string(fs::file_size(path, error));
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Reads one file's hooks, event by event.
class HookReader {
 public:
  explicit HookReader(const HookFile& file) : file_(file) {}

  HookEntries read(std::string_view text) {
    if (trimmed(text).empty()) return {};
    const json whole = nests_too_deep(text) ? json() : json::parse(text, nullptr, false, true);
    if (!whole.is_object()) {
      wrong("it is not a JSON object, so its hooks are not used");
      return std::move(found_);
    }
    const auto inner = whole.find("hooks");
    if (inner == whole.end() && file_.origin != HookOrigin::user) return {};  // settings without hooks
    const json& events = inner == whole.end() ? whole : *inner;
    if (!events.is_object()) wrong("\"hooks\" must be an object: event → list of matchers");
    if (!events.is_object()) return std::move(found_);
    for (const auto& [name, groups] : events.items()) read_event(name, groups);
    return std::move(found_);
  }

 private:
  void wrong(const std::string& what) { found_.problems.push_back(file_.source + ": " + what + "."); }

  void read_event(const std::string& name, const json& groups) {
    const auto event = hook_event(name);
    if (!event) {
      if (is_foreign_event(name))
        found_.skipped.push_back(file_.source + ": " + name + " is not an event of tern");
      else
        wrong("there is no event \"" + name + "\"");
      return;
    }
    if (!groups.is_array()) return wrong(name + " must be a list of {matcher, hooks}");
    for (const auto& group : groups) {
      const bool good = group.is_object() && group.contains("hooks") && group["hooks"].is_array();
      if (!good) {
        wrong("an entry of " + name + " has no list \"hooks\"");
        continue;
      }
      for (const auto& handler : group["hooks"]) read_handler(*event, text_in(group, "matcher"), handler);
    }
  }

  void read_handler(HookEvent event, const std::string& matcher, const json& handler) {
    const std::string where = "a hook of " + std::string(to_string(event));
    if (!handler.is_object()) return wrong(where + " is not an object");
    const auto type = handler.contains("type") ? text_in(handler, "type") : "command";
    if (type != "command" && type != "http") {
      const bool known = type == "prompt" || type == "agent" || type == "mcp_tool";
      if (known)
        return found_.skipped.push_back(file_.source + ": " + where + " has the type " + type +
                                        ", which tern does not run");
      return wrong(where + " has the unknown type \"" + type + "\"");
    }
    HookEntry entry;
    entry.event = event;
    entry.matcher = matcher;
    entry.kind = type == "http" ? HookEntry::Kind::http : HookEntry::Kind::command;
    entry.command = text_in(handler, "command");
    entry.exec = handler.contains("args") && handler["args"].is_array();
    entry.args = texts_in(handler, "args");
    entry.url = text_in(handler, "url");
    if (const auto headers = handler.find("headers"); headers != handler.end() && headers->is_object())
      for (const auto& [name, value] : headers->items())
        if (value.is_string()) entry.headers.emplace_back(name, value.get<std::string>());
    entry.allowed_env = texts_in(handler, "allowedEnvVars");
    entry.only_if = text_in(handler, "if");
    entry.status = text_in(handler, "statusMessage");
    entry.timeout = patience_of(handler, event);
    entry.once = flag_in(handler, "once");
    entry.wakes = flag_in(handler, "asyncRewake");
    entry.async = flag_in(handler, "async") || entry.wakes;
    entry.blocks_on_failure = text_in(handler, "onFailure") == "block";
    entry.own_rights = file_.origin == HookOrigin::user && !flag_in(handler, "sandbox", true);
    if (entry.kind == HookEntry::Kind::http && !entry.url.starts_with("http://") &&
        !entry.url.starts_with("https://"))
      return wrong(where + " has no http:// or https:// \"url\"");
    if (entry.kind == HookEntry::Kind::command && trimmed(entry.command).empty())
      return wrong(where + " has no \"command\"");
    add(std::move(entry), handler);
  }

  void add(HookEntry entry, const json& handler) {
    entry.origin = file_.origin;
    entry.source = file_.source;
    entry.plugin_root = file_.plugin_root;
    const json whole{{"event", to_string(entry.event)}, {"matcher", entry.matcher}, {"hook", handler}};
    entry.text = whole.dump(-1, ' ', false, json::error_handler_t::replace);
    entry.hash = hash_of(entry, file_.root);
    found_.entries.push_back(std::move(entry));
  }

  const HookFile& file_;
  HookEntries found_;
};

}  // namespace

// The script of a command, else its first words.
std::string HookEntry::title() const {
  if (kind == Kind::http) return url;
  const auto words = rough_words(command);
  for (const auto& word : words) {
    const auto name = fs::path(word).filename().string();
    const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
             c == '_' || c == '-';
    });
    if (plain && name.find('.') != name.npos && name.front() != '.') return name;
  }
  const auto line = std::string(trimmed(command.substr(0, command.find('\n'))));
  return line.size() > 40 ? shorten(line, 40) : line;
}

HookEntries read_hooks(std::string_view text, const HookFile& file) { return HookReader(file).read(text); }

void append(HookEntries& all, HookEntries more) {
  std::move(more.entries.begin(), more.entries.end(), std::back_inserter(all.entries));
  std::move(more.problems.begin(), more.problems.end(), std::back_inserter(all.problems));
  std::move(more.skipped.begin(), more.skipped.end(), std::back_inserter(all.skipped));
}

std::string hash_of(const HookEntry& entry, const fs::path& root) {
  std::string hashed = entry.text;
  if (entry.kind == HookEntry::Kind::command && !root.empty()) {
    auto words = rough_words(with_folders(entry.command, root, entry.plugin_root));
    for (const auto& arg : entry.args) words.push_back(with_folders(arg, root, entry.plugin_root));
    for (const auto& word : words) {
      const auto script = script_text(root, word);
      if (!script.empty()) hashed += '\n' + word + '\n' + sha256(script);
    }
  }
  return sha256(hashed);
}

bool matches(std::string_view matcher, std::string_view subject) {
  matcher = trimmed(matcher);
  if (matcher.empty() || matcher == "*") return true;
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '|' || c == ',' || c == ' ';
  };
  if (std::all_of(matcher.begin(), matcher.end(), plain)) {
    while (!matcher.empty()) {
      const auto end = std::min(matcher.find_first_of("|,"), matcher.size());
      if (trimmed(matcher.substr(0, end)) == subject) return true;
      matcher.remove_prefix(std::min(end + 1, matcher.size()));
    }
    return false;
  }
  std::string error;
  const auto regex = Regex::compile(matcher, {}, error);
  return regex && Matcher(*regex).find(subject, 0).has_value();
}

std::string with_folders(std::string text, const fs::path& root, const fs::path& plugin_root) {
  for (const char* name : {"${CLAUDE_PROJECT_DIR}", "$CLAUDE_PROJECT_DIR"})
    replace_all(text, name, root.string());
  if (plugin_root.empty()) return text;
  for (const char* name : {"${CLAUDE_PLUGIN_ROOT}", "$CLAUDE_PLUGIN_ROOT"})
    replace_all(text, name, plugin_root.string());
  return text;
}

}  // namespace tern
