// What a test knows of the sanitizer it runs under. AddressSanitizer keeps freed memory aside to catch its
// use and ThreadSanitizer a history of each access, so that what a process holds says nothing. Loops over
// every byte or every pair take each `stride`-th there: what one more byte decides is for the plain run to
// see, and both sanitizers see the same code either way.
#pragma once

#include <cstddef>

namespace tern::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool memory_tells = false;
inline constexpr std::size_t stride = 7;
inline constexpr int slower = 5;  // how much longer what starts and ends processes may take
#else
inline constexpr bool memory_tells = true;
inline constexpr std::size_t stride = 1;
inline constexpr int slower = 1;
#endif

}  // namespace tern::test
