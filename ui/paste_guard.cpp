#include "ui/paste_guard.h"

#include <utility>

namespace tern {
namespace {

constexpr std::size_t full_read = 4'000;  // a terminal hands over at most 4,096 bytes at a time

std::string typed(const KeyPress& press) {
  if (press.key == Key::enter || (press.ctrl && press.text == "j")) return "\n";
  if (press.key == Key::tab) return "\t";
  return press.key == Key::character && !press.ctrl && !press.alt ? press.text : "";
}

}  // namespace

std::vector<Input> PasteGuard::sort(std::vector<Input> inputs, std::size_t bytes) {
  std::vector<Input> out;
  std::string rest;
  const auto flush = [&] {
    if (!rest.empty()) out.emplace_back(Paste{std::exchange(rest, {})});
  };
  for (Input& input : inputs) {
    if (const auto* press = std::get_if<KeyPress>(&input); press && guarding_) {
      rest += typed(*press);
      continue;
    }
    flush();
    guarding_ |= std::holds_alternative<Paste>(input);
    out.push_back(std::move(input));
  }
  flush();
  guarding_ = guarding_ && bytes >= full_read;
  return out;
}

}  // namespace tern
