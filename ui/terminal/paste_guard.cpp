#include "ui/terminal/paste_guard.h"

#include <utility>

namespace tern {
namespace {

constexpr std::string_view end_mark = "\x1b[201~";
constexpr std::int64_t apart_ms = 30;
constexpr std::int64_t silence_ms = 50, marked_silence_ms = 500;  // that end a burst
constexpr std::int64_t hand_ms = 150;     // before a single key that writes nothing: nobody pastes that
constexpr int most_strays = 3;            // single keys that are still held for a paste in small pieces
constexpr std::size_t full_read = 4'000;  // a terminal hands over at most 4,096 bytes at a time

std::string typed(const KeyPress& press) {
  if (press.key == Key::enter || (press.ctrl && press.text == "j")) return "\n";
  if (press.key == Key::tab) return press.shift ? "" : "\t";
  return press.key == Key::character && !press.ctrl && !press.alt ? press.text : "";
}

// What a terminal without paste marks pastes: text with an Enter inside, faster than a hand.
bool unmarked_paste(const std::vector<Input>& inputs) {
  constexpr std::size_t fewest_keys = 10;
  bool enter = false, behind = false;
  for (const Input& input : inputs) {
    const auto* press = std::get_if<KeyPress>(&input);
    if (!press || typed(*press).empty()) return false;
    behind = behind || (enter && press->key == Key::character);
    enter = enter || press->key == Key::enter;
  }
  return behind && inputs.size() >= fewest_keys;
}

}  // namespace

// A stalled paste goes on in pieces; a hand makes single keys. Esc and Ctrl-C alone are a way out that must
// not fail.
bool PasteGuard::typing(const std::vector<Input>& inputs, std::int64_t now_ms) {
  const auto* press = inputs.size() == 1 ? std::get_if<KeyPress>(&inputs[0]) : nullptr;
  const bool apart = now_ms - std::exchange(last_ms_, now_ms) >= apart_ms;
  keys_ = press && apart ? keys_ + 1 : 0;
  return keys_ > most_strays ||
         (keys_ > 0 && (press->key == Key::escape || (press->ctrl && press->text == "c")));
}

// Whether the burst that began with a paste still goes on.
void PasteGuard::wake(const std::vector<Input>& inputs, std::int64_t now_ms) {
  const std::int64_t silent = now_ms - std::exchange(read_ms_, now_ms);
  if (!guarding_ || stalled_ || full_) return;
  const auto* single = inputs.size() == 1 ? std::get_if<KeyPress>(&inputs[0]) : nullptr;
  const std::int64_t enough = !marked_                           ? silence_ms
                              : single && typed(*single).empty() ? hand_ms
                                                                 : marked_silence_ms;
  if (silent >= enough || (single && !marked_)) guarding_ = marked_ = false;
}

std::vector<Input> PasteGuard::sort(std::vector<Input> inputs, std::string_view bytes, std::int64_t now_ms) {
  std::vector<Input> out;
  tail_ += bytes;
  if (stalled_) {
    if (typing(inputs, now_ms))
      stalled_ = guarding_ = false;
    else
      guarding_ = true;
    if (tail_.find(end_mark) != tail_.npos) stalled_ = false;
  }
  if (tail_.size() > end_mark.size()) tail_.erase(0, tail_.size() - end_mark.size());
  wake(inputs, now_ms);
  const bool goes_on = guarding_;
  guarding_ = guarding_ || unmarked_paste(inputs);
  std::string rest;
  const auto add = [&](std::string text) {
    if (text.empty()) return;
    if (Paste* last = out.empty() ? nullptr : std::get_if<Paste>(&out.back()))
      last->text += text;
    else
      out.emplace_back(Paste{std::move(text), goes_on});
  };
  for (Input& input : inputs) {
    if (const auto* press = std::get_if<KeyPress>(&input); press && guarding_) {
      rest += typed(*press);
      marked_ = true;
      continue;
    }
    add(std::exchange(rest, {}));
    if (const auto* paste = std::get_if<Paste>(&input)) {
      guarding_ = true;
      add(paste->text);
    } else {
      out.push_back(std::move(input));
    }
  }
  add(std::move(rest));
  marked_ = marked_ && tail_ != end_mark;
  full_ = bytes.size() >= full_read;
  return out;
}

}  // namespace tern
