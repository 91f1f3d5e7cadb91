#include "ui/terminal/input_parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "ui/text/text_safe.h"

namespace tern {
namespace {

constexpr std::string_view paste_begin = "\x1b[200~", paste_end = "\x1b[201~";
constexpr std::size_t longest_sequence = 4096;  // of a control string; the rest is thrown away
constexpr std::size_t longest_paste = 64u << 20;

struct Taken {
  std::size_t bytes = 0;  // 0: more is needed
  std::vector<Input> inputs;
};
Taken need_more() { return {}; }
Taken nothing(std::size_t bytes) { return {bytes, {}}; }
Taken one(std::size_t bytes, Input input) {
  Taken taken{bytes, {}};
  taken.inputs.push_back(std::move(input));
  return taken;
}

KeyPress key(Key which) {
  KeyPress press;
  press.key = which;
  return press;
}
KeyPress letter(std::string text, bool ctrl = false) {
  KeyPress press;
  press.text = std::move(text);
  press.ctrl = ctrl;
  return press;
}

void set_modifiers(KeyPress& press, int parameter) {
  if (parameter < 2) return;
  const int bits = parameter - 1;
  press.shift |= (bits & 1) != 0;
  press.alt |= (bits & 2) != 0;
  press.ctrl |= (bits & 4) != 0;
}

// C0 controls as keys: Enter is CR, Ctrl-J is LF (always a newline in the composer).
KeyPress control_key(unsigned char c) {
  switch (c) {
    case '\r': return key(Key::enter);
    case '\t': return key(Key::tab);
    case 0x7F: return key(Key::backspace);
    case 0x1B: return key(Key::escape);
    case 0: return letter(" ", true);
    case 0x1F: return letter("_", true);
    default: break;
  }
  if (c <= 26) return letter(std::string(1, static_cast<char>('a' + c - 1)), true);
  return letter(std::string(1, static_cast<char>('@' + c)), true);
}

// The keypad as kitty reports it: digits and signs as text, the rest as keys.
std::optional<KeyPress> keypad_key(long code) {
  static constexpr std::string_view signs = "0123456789./*-+\r=,";  // from 57399 on
  static constexpr Key keys[] = {Key::left, Key::right, Key::up,     Key::down, Key::page_up, Key::page_down,
                                 Key::home, Key::end,   Key::insert, Key::del};  // from 57417 on
  if (code >= 57417 && code < 57417 + static_cast<long>(std::size(keys))) return key(keys[code - 57417]);
  if (code < 57399 || code >= 57399 + static_cast<long>(signs.size())) return std::nullopt;
  const char sign = signs[static_cast<std::size_t>(code - 57399)];
  return sign == '\r' ? key(Key::enter) : letter(std::string(1, sign));
}

// A letter with modifiers, as it is written with them. Ctrl-Shift-C is not Ctrl-C: its text is "C".
void apply_shift(KeyPress& press, long shifted) {
  if (press.key != Key::character || !press.shift || press.alt) return;
  const bool latin = press.text.size() == 1 && press.text[0] >= 'a' && press.text[0] <= 'z';
  if (latin)
    press.text[0] = static_cast<char>(press.text[0] - 'a' + 'A');
  else if (shifted > 32)
    press.text = utf8(static_cast<std::uint32_t>(shifted));
  const bool capital = press.text.size() == 1 && press.text[0] >= 'A' && press.text[0] <= 'Z';
  if (!press.ctrl || (shifted > 32 && !capital)) press.shift = false;
}

bool code_point(long code) { return code >= 32 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF); }

// A code point as kitty and modifyOtherKeys report it; `shifted` and `base` are what it is with shift and on
// a Latin keyboard.
std::optional<KeyPress> code_key(long code, int modifiers, long shifted = -1, long base = -1) {
  constexpr int super_hyper_meta = 8 | 16 | 32, alt_ctrl = 2 | 4;
  if (modifiers > 1 && ((modifiers - 1) & super_hyper_meta) != 0)
    return std::nullopt;  // the window manager's
  if (modifiers > 1 && ((modifiers - 1) & alt_ctrl) != 0 && code > 127 && base > 32 && base < 127)
    code = base;
  KeyPress press;
  switch (code) {
    case 13: press = key(Key::enter); break;
    case 27: press = key(Key::escape); break;
    case 9: press = key(Key::tab); break;
    case 127:
    case 8: press = key(Key::backspace); break;
    default:
      if (code >= 57344 && code <= 63743) {  // kitty's private keys: keypad, locks, media, modifiers
        const auto pad = keypad_key(code);
        if (!pad) return std::nullopt;
        press = *pad;
      } else {
        if (!code_point(code)) return std::nullopt;
        press = letter(utf8(static_cast<std::uint32_t>(code)));
      }
  }
  set_modifiers(press, modifiers);
  apply_shift(press, code_point(shifted) ? shifted : -1);
  return press;
}

struct Csi {
  std::string prefix;                         // '<', '>', '?'
  std::vector<std::vector<long>> parameters;  // sub-parameters after ':'
  char final = 0;
  long at(std::size_t i, long otherwise) const {
    return i < parameters.size() && !parameters[i].empty() && parameters[i][0] >= 0 ? parameters[i][0]
                                                                                    : otherwise;
  }
};

Csi parse_csi(std::string_view body, char final) {
  Csi csi;
  csi.final = final;
  std::size_t i = 0;
  if (i < body.size() && body[i] >= '<' && body[i] <= '?') csi.prefix = body[i++];
  csi.parameters.push_back({-1});
  for (; i < body.size(); ++i) {
    const char c = body[i];
    if (c == ';') csi.parameters.push_back({-1});
    if (c == ':') csi.parameters.back().push_back(-1);
    if (c < '0' || c > '9') continue;
    long& value = csi.parameters.back().back();
    value = std::min(std::max(value, 0L) * 10 + (c - '0'), 10'000'000L);
    if (csi.parameters.size() > 32) break;
  }
  return csi;
}

std::optional<Key> letter_key(char final) {
  switch (final) {
    case 'A': return Key::up;
    case 'B': return Key::down;
    case 'C': return Key::right;
    case 'D': return Key::left;
    case 'H': return Key::home;
    case 'F': return Key::end;
    case 'P': return Key::f1;
    case 'Q': return Key::f2;
    case 'R': return Key::f3;
    case 'S': return Key::f4;
    case 'M': return Key::enter;  // keypad, SS3 only
    default: return std::nullopt;
  }
}

std::optional<Key> tilde_key(long number) {
  static constexpr std::pair<int, Key> table[] = {
      {1, Key::home},      {2, Key::insert}, {3, Key::del},  {4, Key::end},  {5, Key::page_up},
      {6, Key::page_down}, {7, Key::home},   {8, Key::end},  {11, Key::f1},  {12, Key::f2},
      {13, Key::f3},       {14, Key::f4},    {15, Key::f5},  {17, Key::f6},  {18, Key::f7},
      {19, Key::f8},       {20, Key::f9},    {21, Key::f10}, {23, Key::f11}, {24, Key::f12}};
  for (const auto& [code, which] : table)
    if (code == number) return which;
  return std::nullopt;
}

std::optional<Mouse> mouse(const Csi& csi) {
  const long buttons = csi.at(0, 0);
  Mouse event;
  event.x = static_cast<int>(std::clamp(csi.at(1, 1) - 1, 0L, 100'000L));
  event.y = static_cast<int>(std::clamp(csi.at(2, 1) - 1, 0L, 100'000L));
  event.shift = (buttons & 4) != 0;
  event.alt = (buttons & 8) != 0;
  event.ctrl = (buttons & 16) != 0;
  if (buttons & 64) {
    if ((buttons & 3) > 1) return std::nullopt;
    event.what = (buttons & 1) != 0 ? Mouse::What::wheel_down : Mouse::What::wheel_up;
    return event;
  }
  if ((buttons & 3) != 0) return std::nullopt;  // only the first button is ours
  if (csi.final == 'm')
    event.what = Mouse::What::release;
  else
    event.what = (buttons & 32) != 0 ? Mouse::What::drag : Mouse::What::press;
  return event;
}

// Keys in kitty's form (CSI … u) and xterm's (CSI 27 ; … ~).
std::optional<KeyPress> coded_key(const Csi& csi, int modifiers) {
  if (csi.final != 'u') return code_key(csi.at(2, 0), modifiers);
  const bool release = csi.parameters.size() > 1 && csi.parameters[1].size() > 1 && csi.parameters[1][1] == 3;
  if (release) return std::nullopt;
  const auto& codes = csi.parameters[0];
  return code_key(csi.at(0, 0), modifiers, codes.size() > 1 ? codes[1] : -1,
                  codes.size() > 2 ? codes[2] : -1);
}

std::vector<Input> csi_inputs(const Csi& csi, std::string_view whole) {
  const int modifiers = static_cast<int>(csi.at(1, 1));
  if (csi.prefix == "<" && (csi.final == 'M' || csi.final == 'm')) {
    const auto event = mouse(csi);
    return event ? std::vector<Input>{*event} : std::vector<Input>{};
  }
  if (!csi.prefix.empty()) return {Reply{std::string(whole)}};
  if (csi.final == 'u' || (csi.final == '~' && csi.at(0, 0) == 27)) {
    const auto press = coded_key(csi, modifiers);
    return press ? std::vector<Input>{*press} : std::vector<Input>{};
  }
  if (csi.final == 'Z') {
    KeyPress press = key(Key::tab);
    press.shift = true;
    return {press};
  }
  if (csi.final == 'R' && csi.parameters.size() == 2 && csi.at(0, 0) > 1)
    return {Reply{std::string(whole)}};                                          // cursor report
  if (csi.final == 'I' || csi.final == 'O') return {Reply{std::string(whole)}};  // focus
  if (csi.final == 'n') return {Reply{std::string(whole)}};                      // status
  const auto which = csi.final == '~'   ? tilde_key(csi.at(0, 0))
                     : csi.final == 'M' ? std::nullopt
                                        : letter_key(csi.final);
  if (!which) return {};
  KeyPress press = key(*which);
  set_modifiers(press, modifiers);
  return {press};
}

Taken take_csi(std::string_view in) {
  std::size_t i = 2;
  while (i < in.size() && in[i] >= 0x20 && in[i] <= 0x3F) ++i;
  if (i >= in.size()) return i > longest_sequence ? nothing(i) : need_more();
  if (in[i] < 0x40 || in[i] > 0x7E) return nothing(i);  // broken off by a control: that one is read next
  if (in[i] == '[' && i == 2) return in.size() > 3 ? nothing(4) : need_more();  // the Linux console's F1..F5
  return {i + 1, csi_inputs(parse_csi(in.substr(2, i - 2), in[i]), in.substr(0, i + 1))};
}

Taken take_string(std::string_view in) {  // OSC, DCS, APC, PM, SOS: to ST or BEL
  for (std::size_t i = 2; i < in.size(); ++i) {
    const bool st = in[i] == '\x1b' && i + 1 < in.size() && in[i + 1] == '\\';
    if (in[i] == '\a' || st) return one(i + (st ? 2 : 1), Reply{std::string(in.substr(0, i))});
    if (in[i] == '\x1b' && i + 1 < in.size()) return nothing(i);
    if (i > longest_sequence) return nothing(i);
  }
  return need_more();
}

std::size_t utf8_length(unsigned char lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

Taken take_character(std::string_view in) {
  const auto lead = static_cast<unsigned char>(in[0]);
  if (lead < 0x20 || lead == 0x7F) return one(1, control_key(lead));
  if (lead < 0x80) return one(1, letter(std::string(1, in[0])));
  const std::size_t length = utf8_length(lead);
  if (length == 0) return nothing(1);
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= in.size()) return need_more();
    if ((static_cast<unsigned char>(in[i]) & 0xC0) != 0x80) return nothing(i);
  }
  return one(length, letter(std::string(in.substr(0, length))));
}

Taken take_one(std::string_view in) {
  if (in[0] != '\x1b') return take_character(in);
  if (in.size() == 1) return need_more();
  switch (in[1]) {
    case '[': return take_csi(in);
    case ']':
    case 'P':
    case '_':
    case '^':
    case 'X': return take_string(in);
    case 'O': {
      if (in.size() < 3) return need_more();
      const auto which = letter_key(in[2]);
      return which ? one(3, key(*which)) : nothing(3);
    }
    case '\x1b': return one(1, key(Key::escape));
    default: break;
  }
  Taken taken = take_character(in.substr(1));
  if (taken.bytes == 0) return taken;
  ++taken.bytes;
  for (Input& input : taken.inputs)
    if (auto* press = std::get_if<KeyPress>(&input)) press->alt = true;
  return taken;
}

std::string normal_newlines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
      continue;
    }
    out += '\n';
    if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
  }
  return out;
}

// How many bytes at the end of `text` may be the beginning of the end mark.
std::size_t partial_end(std::string_view text) {
  for (std::size_t n = std::min(paste_end.size() - 1, text.size()); n > 0; --n)
    if (text.substr(text.size() - n) == paste_end.substr(0, n)) return n;
  return 0;
}

}  // namespace

std::vector<Input> InputParser::feed(std::string_view bytes) {
  std::vector<Input> inputs;
  buffer_ += bytes;
  std::size_t at = 0;
  while (at < buffer_.size()) {
    const std::string_view rest = std::string_view(buffer_).substr(at);
    if (pasting_) {
      const std::size_t end = rest.find(paste_end);
      const std::size_t keep = end == rest.npos ? partial_end(rest) : 0;
      const std::size_t take = end == rest.npos ? rest.size() - keep : end;
      if (paste_.size() < longest_paste) paste_ += rest.substr(0, take);
      at += take;
      if (end == rest.npos) break;
      at += paste_end.size();
      pasting_ = false;
      inputs.push_back(Paste{normal_newlines(std::exchange(paste_, {}))});
      continue;
    }
    if (rest.starts_with(paste_begin)) {
      pasting_ = true;
      at += paste_begin.size();
      continue;
    }
    Taken taken = take_one(rest);
    if (taken.bytes == 0) break;
    at += taken.bytes;
    std::move(taken.inputs.begin(), taken.inputs.end(), std::back_inserter(inputs));
  }
  buffer_.erase(0, at);
  return inputs;
}

bool InputParser::pending() const { return pasting_ || !buffer_.empty(); }

std::vector<Input> InputParser::timeout() {
  if (pasting_) {
    pasting_ = false;
    paste_ += std::exchange(buffer_, {});
    return {Paste{normal_newlines(std::exchange(paste_, {}))}};
  }
  if (buffer_.empty()) return {};
  const std::string held = std::exchange(buffer_, {});
  if (held == "\x1b") return {key(Key::escape)};
  if (held.size() == 2 && held[0] == '\x1b') {  // Alt-[ and Alt-O: a prefix that was a key after all
    KeyPress press = letter(held.substr(1));
    press.alt = true;
    return {press};
  }
  return {};
}

}  // namespace tern
