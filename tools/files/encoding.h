// In which encoding a file's bytes are text, and a view of them as UTF-8 which remembers where each character
// came from. Detection is deterministic: byte order marks, valid UTF-8, UTF-16 by its zeros, then GBK, EUC-KR
// or Shift-JIS where the text is plausible in one, else Windows-1252: in doubt a single-byte encoding, whose
// edits cannot tear a character. What is none of these is binary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

enum class Encoding { utf8, utf16le, utf16be, cp1252, latin1, gbk, euc_kr, shift_jis, binary };

std::string_view to_string(Encoding encoding);  // "UTF-8", "Windows-1252" …

struct Charset {
  Encoding encoding = Encoding::utf8;
  std::size_t mark = 0;    // length of a byte order mark at the start
  std::size_t broken = 0;  // bytes that are not valid in it (UTF-8 only: mostly text, some damage)
};
Charset detect(std::string_view bytes);
// The same bytes, known to be in that encoding (as it was when the file was read).
Charset charset_as(std::string_view bytes, Encoding encoding);

// The text behind the mark, as UTF-8. For UTF-8 it is the bytes themselves, damage included.
class TextView {
 public:
  TextView(std::string_view bytes, const Charset& charset);
  std::string_view text() const { return own_ ? std::string_view(text_) : plain_; }
  // Byte position in the file of a position in text(); the end maps to the end.
  std::size_t source(std::size_t position) const;

 private:
  void add(std::string_view utf8, std::size_t source_begin);
  bool own_ = false;
  std::string_view plain_;
  std::string text_;
  std::vector<std::uint32_t> sources_;  // per byte of text_, and one for the end
  std::size_t mark_ = 0;
};

// UTF-8 text in the encoding, without a mark; nullopt and the first character that does not fit in `misfit`
// otherwise.
std::optional<std::string> encode(std::string_view utf8, Encoding encoding, std::string& misfit);

// Valid UTF-8 whatever came in; broken sequences become U+FFFD. The number of replaced bytes is added to
// `replaced`.
std::string to_valid_utf8(std::string_view bytes, std::size_t* replaced = nullptr);

bool is_ascii(std::string_view bytes);

// Length of the valid UTF-8 sequence at `at`, 0 when there is none.
std::size_t utf8_length(std::string_view bytes, std::size_t at);

// "“" → "“ (U+201C)"
std::string name_character(std::string_view utf8);

}  // namespace tern
