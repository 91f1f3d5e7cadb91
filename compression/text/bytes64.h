// Sixty-four bytes at a time, as sets: bit i of a mask says something about byte i. What a lexer asks of
// every byte costs a few instructions for all of them. Plain loops do where there is no SSE2; the masks are
// the same.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tern {

class Bytes64 {
 public:
  // The bytes of `text` from `at` on; behind its end stand zeros.
  Bytes64(std::string_view text, std::size_t at) {
    if (text.size() - at >= 64) {
      load(text.data() + at);
    } else {
      char rest[64] = {};
      std::memcpy(rest, text.data() + at, text.size() - at);
      load(rest);
    }
  }

#ifdef __SSE2__
  [[gnu::always_inline]] std::uint64_t in(unsigned char low, unsigned char high) const {
    const __m128i from = _mm_set1_epi8(static_cast<char>(low)),
                  span = _mm_set1_epi8(static_cast<char>(high - low));
    return mask([=](__m128i v) __attribute__((always_inline)) {
      const __m128i moved = _mm_sub_epi8(v, from);
      return _mm_cmpeq_epi8(_mm_min_epu8(moved, span), moved);
    });
  }
  [[gnu::always_inline]] std::uint64_t equal(char c) const {
    const __m128i all = _mm_set1_epi8(c);
    return mask([=](__m128i v) __attribute__((always_inline)) { return _mm_cmpeq_epi8(v, all); });
  }
  std::uint64_t high() const {
    return mask([](__m128i v) __attribute__((always_inline)) { return v; });
  }

 private:
  void load(const char* p) {
    for (int i = 0; i < 4; ++i) v_[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
  }
  static std::uint64_t bits(__m128i v) { return static_cast<unsigned>(_mm_movemask_epi8(v)); }
  template <class F>
  [[gnu::always_inline]] std::uint64_t mask(F f) const {
    return bits(f(v_[0])) | bits(f(v_[1])) << 16 | bits(f(v_[2])) << 32 | bits(f(v_[3])) << 48;
  }

  __m128i v_[4];
#else
  [[gnu::always_inline]] std::uint64_t in(unsigned char low, unsigned char high) const {
    return mask([=](unsigned char c) { return static_cast<unsigned char>(c - low) <= high - low; });
  }
  [[gnu::always_inline]] std::uint64_t equal(char c) const {
    return mask([=](unsigned char b) { return b == static_cast<unsigned char>(c); });
  }
  std::uint64_t high() const { return in(0x80, 0xFF); }

 private:
  void load(const char* p) { std::memcpy(v_, p, 64); }
  template <class F>
  std::uint64_t mask(F&& f) const {
    std::uint64_t bits = 0;
    for (int i = 0; i < 64; ++i) bits |= static_cast<std::uint64_t>(f(v_[i])) << i;
    return bits;
  }

  unsigned char v_[64];
#endif
};

}  // namespace tern
