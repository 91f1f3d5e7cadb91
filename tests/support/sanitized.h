// AddressSanitizer keeps freed memory aside to catch its use, so that what a process holds says nothing.
#pragma once

namespace tern::test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool memory_tells = false;
#else
inline constexpr bool memory_tells = true;
#endif

}  // namespace tern::test
