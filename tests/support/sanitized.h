// AddressSanitizer keeps freed memory aside to catch its use and ThreadSanitizer a history of each access, so that what a process
// holds says nothing.
#pragma once

namespace tern::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool memory_tells = false;
#else
inline constexpr bool memory_tells = true;
#endif

}  // namespace tern::test
