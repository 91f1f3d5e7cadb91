#include "agent/gate/command_steps.h"

#include <algorithm>
#include <system_error>

namespace tern {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// "cd", also behind "command", "builtin" and "eval", which run in this shell.
bool moves(const CommandStep& step) {
  const std::vector<ShellWord>& words = step.command->words;
  if (words.empty()) return false;
  if (in_list(words[0].text, "cd pushd popd chdir")) return true;
  return (in_list(words[0].text, "command builtin eval") || words[0].text.starts_with("-")) &&
         std::any_of(step.unwrapped.begin(), step.unwrapped.end(),
                     [](const Words& inner) { return in_list(inner.front(), "cd pushd popd chdir"); });
}

// A cd that is sure to take place, and in this shell.
bool moves_surely(const ShellCommand& command, std::string_view after, std::string_view line) {
  return command.words[0].text == "cd" && command.words.size() == 2 && command.words[1].literal &&
         command.words[1].text != "-" && command.depth == 0 && !command.background &&
         !in_list(command.before, "| |& ||") && !in_list(after, "| |& ||") &&
         line.find("CDPATH") == line.npos;
}

// What a shell is given to read: a here-document, a here-string, or the words of an echo before the "|".
void add_input(CommandStep& step, const ShellCommand* source) {
  const auto add = [&](std::string_view text) {
    for (Words& words : unwrap_input(*step.command, text)) step.unwrapped.push_back(std::move(words));
  };
  for (const ShellRedirect& r : step.command->redirects)
    if (r.op == "<" && !r.target.literal)
      add("$unknown");
    else if (r.op.starts_with("<<"))
      add(r.op == "<<<" ? r.target.text : r.body);
  if (source == nullptr || !in_list(step.command->before, "| |&")) return;
  for (const ShellRedirect& r : source->redirects)
    if (r.op.starts_with("<<")) add(r.op == "<<<" ? r.target.text : r.body);
  std::string joined;
  for (std::size_t i = 1; i < source->words.size(); ++i) {
    add(source->words[i].text);
    joined.append(joined.empty() ? "" : " ").append(source->words[i].text);
  }
  add(joined);
}

}  // namespace

ShellCommand bare(ShellCommand command) {
  for (const char* directory : {"/usr/bin/", "/bin/"})
    if (command.words[0].text.rfind(directory, 0) == 0)
      command.words[0].text.erase(0, std::string_view(directory).size());
  return command;
}

std::vector<CommandStep> steps_of(const ShellScript& script, std::string_view line,
                                  const Workspace& workspace) {
  std::vector<CommandStep> steps;
  fs::path cwd = workspace.cwd();
  bool lost = false;
  for (std::size_t i = 0; i < script.commands.size(); ++i) {
    const ShellCommand& command = script.commands[i];
    steps.push_back({&command, lost ? fs::path("/") : cwd, lost, unwrap(command)});
    add_input(steps.back(), i > 0 ? &script.commands[i - 1] : nullptr);
    if (!moves(steps.back())) continue;
    const std::string after = i + 1 < script.commands.size() ? script.commands[i + 1].before : std::string();
    const bool sure = moves_surely(command, after, line);
    const Place there = sure ? CommandPlace{workspace, cwd}.locate(command.words[1]) : Place{};
    std::error_code error;
    lost = lost || !sure || !there.error.empty() || !fs::is_directory(there.real, error);
    cwd = there.real;
  }
  return steps;
}

std::vector<fs::path> places_of(const std::vector<Words>& commands, const CommandPlace& place) {
  std::vector<fs::path> list{place.cwd};
  const auto go = [&](const std::string& directory) {
    const bool clear =
        !directory.empty() && directory != "-" && directory.find_first_of("$`*?[{(") == directory.npos;
    const Place there = clear ? CommandPlace{place.workspace, list.back()}.locate(directory) : Place{};
    list.push_back(clear && there.error.empty() ? there.real : fs::path("/"));
  };
  for (std::size_t n = 0; n < commands.size() && list.size() < 20; ++n) {
    const Words& words = commands[n];
    const std::string name(program_name(words.front()));
    if (n > 0 && in_list(name, "cd pushd popd chdir")) go(words.size() > 1 ? words.back() : std::string());
    if (name == "chroot") go("/");
    if (!in_list(name, "env sudo doas git")) continue;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& word = words[i];
      const std::string option = word.substr(0, word.find('='));
      const bool is_long = option.size() > 2 && std::string_view("--chdir").starts_with(option);
      const bool is_short = word.starts_with(name == "sudo" || name == "doas" ? "-D" : "-C");
      if (is_long && option.size() < word.size())
        go(word.substr(option.size() + 1));
      else if (is_short && word.size() > 2)
        go(word.substr(2));
      else if ((is_long || is_short) && i + 1 < words.size())
        go(words[i + 1]);
    }
  }
  return list;
}

}  // namespace tern
