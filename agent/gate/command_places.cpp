// Where the commands of a line work: the folders that cd, -C and --chdir lead to.
#include "agent/gate/command_kinds.h"

namespace tern {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

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
