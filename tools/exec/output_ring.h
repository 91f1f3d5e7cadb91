// The output of a command, however long: the first and the last part in memory, everything up to a cap in a
// file that is made only when memory does not hold it all. Nothing is ever lost without being counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tern {

class OutputRing {
 public:
  static constexpr std::size_t keep = 256 * 1024;  // each of head and tail
  static constexpr std::uint64_t spill_cap = 64ull << 20;

  explicit OutputRing(std::filesystem::path spill_file = {});  // empty: no file
  OutputRing(OutputRing&&) noexcept;
  OutputRing& operator=(OutputRing&&) noexcept;
  ~OutputRing();  // the file stays

  void append(std::string_view bytes);
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t lines() const;  // a last line without newline counts
  bool whole() const { return bytes_ <= 2 * keep; }
  // Valid UTF-8, NUL made visible; with one line in the middle that counts what is not shown.
  std::string text() const;
  std::uint64_t complete() const;  // bytes() without a character at the end of which only a part has come
  // What came after so many bytes and before so many, as far as it is held.
  std::string since(std::uint64_t offset, std::uint64_t until = ~0ull) const;
  std::string last_line() const;                                 // unfinished last line, at most 400 bytes
  const std::filesystem::path& spill() const { return spill_; }  // empty when memory holds everything
  std::string note() const;  // why the file is short or missing; usually empty

 private:
  void spill_out(std::string_view bytes);
  void remember_tail(std::string_view bytes);
  std::string tail() const;

  std::string head_, tail_;  // tail_ is a ring once full
  std::size_t tail_at_ = 0;
  std::uint64_t bytes_ = 0, newlines_ = 0, spilled_ = 0;
  bool ends_with_newline_ = true;
  int fd_ = -1;
  std::filesystem::path wanted_, spill_;
  std::string trouble_;
};

// Bytes as valid UTF-8: what is not becomes U+FFFD, and so does NUL. Valid input is returned as it is.
std::string valid_utf8(std::string bytes);
// Vectorised: outputs of hundreds of megabytes are counted more than once.
std::uint64_t newlines_in(std::string_view bytes);

}  // namespace tern
