// Finding and reading them.
#include "agent/extend/user_command.h"

#include <algorithm>

#include "compression/text/lines.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

// "git/commit.md" is "git:commit".
std::string name_of(const fs::path& relative) {
  std::string name;
  for (const auto& part : relative.parent_path()) name += part.string() + ":";
  return name + relative.stem().string();
}

bool usable_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return is_name_char(static_cast<char>(c)) || c == '-' || c == ':' || c == '.';
  });
}

std::string first_line_of(std::string_view body) {
  std::string found;
  each_line_while(body, [&](std::string_view line) {
    line = trimmed(line);
    line.remove_prefix(std::min(line.find_first_not_of("# "), line.size()));
    found = clipped(line, 120);
    return found.empty();
  });
  return found;
}

// The text of `key = "…"`, `"""…"""` or `'''…'''`; escapes only in the forms that have them.
std::string toml_text(std::string_view text, std::string_view key) {
  std::size_t at = 0;
  while ((at = text.find(key, at)) != text.npos) {
    const auto line = text.substr(0, at).rfind('\n');
    auto rest = trimmed(text.substr(at + key.size()));
    const bool heads_line =
        trimmed(text.substr(line == text.npos ? 0 : line + 1, at - (line == text.npos ? 0 : line + 1)))
            .empty();
    at += key.size();
    if (!heads_line || !take(rest, "=")) continue;
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    for (const std::string_view mark : {"\"\"\"", "'''", "\"", "'"}) {
      if (!take(rest, mark)) continue;
      if (mark.size() == 3) take(rest, "\n");
      std::string value;
      for (std::size_t i = 0; i < rest.size() && !rest.substr(i).starts_with(mark); ++i) {
        const bool escape = mark.front() == '"' && rest[i] == '\\' && i + 1 < rest.size();
        const char next = escape ? rest[++i] : rest[i];
        value += !escape ? next : next == 'n' ? '\n' : next == 't' ? '\t' : next;
      }
      return value;
    }
  }
  return {};
}

UserCommand from_toml(std::string_view text) {
  UserCommand command;
  command.form = UserCommand::Form::toml;
  command.body = toml_text(text, "prompt");
  command.help = toml_text(text, "description");
  if (command.body.find("{{args}}") != std::string::npos) command.usage = "[args]";
  return command;
}

UserCommand from_markdown(std::string_view text) {
  auto head = frontmatter(text);
  UserCommand command;
  command.help = head.get("description");
  command.usage = head.get("argument-hint");
  command.model = head.get("model");
  command.allowed_tools = list_words(head.get("allowed-tools"));
  command.argument_names = list_words(head.get("arguments"));
  command.body = std::move(head.body);
  const bool takes =
      command.body.find("$ARGUMENTS") != std::string::npos || command.body.find("$1") != std::string::npos;
  if (command.usage.empty() && takes) command.usage = "[arguments]";
  if (command.usage.empty())
    for (const auto& name : command.argument_names)
      command.usage += (command.usage.empty() ? "[" : " [") + name + "]";
  return command;
}

}  // namespace

const UserCommand* UserCommands::find(std::string_view name) const {
  const auto found =
      std::find_if(commands.begin(), commands.end(), [&](const auto& one) { return one.name == name; });
  return found == commands.end() ? nullptr : &*found;
}

UserCommands load_commands(const BroughtPlaces& places) {
  UserCommands loaded;
  for (const auto& folder : brought_folders(places, "commands")) {
    for (const auto& relative : files_of(folder)) {
      const auto kind = relative.extension();
      if (kind != ".md" && kind != ".toml") continue;
      const auto source = shown_path(folder, relative, places.home);
      const auto text = read_brought(folder, relative);
      const auto hash = brought_hash(folder, relative, text);
      if (!may_use(places, folder, hash)) continue;
      auto command = kind == ".toml" ? from_toml(text) : from_markdown(text);
      command.name = folder.prefix + name_of(relative);
      command.source = source;
      command.hash = hash;
      command.of_project = folder.of_project();
      const auto* earlier = loaded.find(command.name);
      if (!usable_name(command.name))
        loaded.problems.push_back(
            source + " is left out: a command's name has letters, digits, '-', '_' and '.' only.");
      else if (trimmed(command.body).empty())
        loaded.problems.push_back(
            source + " is left out: it is empty, too large, or a link that leads out of the project.");
      else if (earlier)
        loaded.problems.push_back(source + " is left out: /" + command.name + " is already " +
                                  earlier->source + ".");
      else {
        if (command.help.empty()) command.help = first_line_of(command.body);
        loaded.commands.push_back(std::move(command));
      }
    }
  }
  return loaded;
}

}  // namespace tern
