#include <utility>

#include "ui/terminal/input_parser.h"
#include "ui/text/width.h"

namespace tern {
namespace {
constexpr std::pair<std::string_view, Key> key_names[] = {{"enter", Key::enter},
                                                          {"escape", Key::escape},
                                                          {"tab", Key::tab},
                                                          {"backspace", Key::backspace},
                                                          {"delete", Key::del},
                                                          {"up", Key::up},
                                                          {"down", Key::down},
                                                          {"left", Key::left},
                                                          {"right", Key::right},
                                                          {"home", Key::home},
                                                          {"end", Key::end},
                                                          {"pageup", Key::page_up},
                                                          {"pagedown", Key::page_down},
                                                          {"insert", Key::insert},
                                                          {"f1", Key::f1},
                                                          {"f2", Key::f2},
                                                          {"f3", Key::f3},
                                                          {"f4", Key::f4},
                                                          {"f5", Key::f5},
                                                          {"f6", Key::f6},
                                                          {"f7", Key::f7},
                                                          {"f8", Key::f8},
                                                          {"f9", Key::f9},
                                                          {"f10", Key::f10},
                                                          {"f11", Key::f11},
                                                          {"f12", Key::f12}};

// Ctrl-Shift-C comes as a capital, which nobody writes into the name.
bool capital(std::string_view text) { return text.size() == 1 && text[0] >= 'A' && text[0] <= 'Z'; }
}  // namespace

std::string key_name(const KeyPress& press) {
  std::string name;
  if (press.ctrl) name += "ctrl-";
  if (press.alt) name += "alt-";
  if (press.shift) name += "shift-";
  if (press.key == Key::character && press.ctrl && press.shift && capital(press.text))
    return name + static_cast<char>(press.text[0] - 'A' + 'a');
  if (press.key == Key::character) return name + (press.text == " " ? "space" : press.text);
  for (const auto& [text, which] : key_names)
    if (which == press.key) return name + std::string(text);
  return name;
}

bool parse_key_name(std::string_view name, KeyPress& press) {
  press = {};
  for (bool again = true; again;) {
    again = false;
    for (const auto& [prefix, flag] : {std::pair{std::string_view("ctrl-"), &press.ctrl},
                                       {"alt-", &press.alt},
                                       {"shift-", &press.shift}}) {
      if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
      *flag = true;
      name.remove_prefix(prefix.size());
      again = true;
    }
  }
  for (const auto& [text, which] : key_names)
    if (name == text) {
      press.key = which;
      return true;
    }
  press.text = name == "space" ? " " : std::string(name);
  const bool small = name.size() == 1 && name[0] >= 'a' && name[0] <= 'z';
  if (press.ctrl && press.shift && small) press.text[0] = static_cast<char>(name[0] - 'a' + 'A');
  const bool single = !name.empty() && next_cluster(name, 0).bytes == name.size();
  return name == "space" || single;
}

}  // namespace tern
