#include "agent/models/public_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace tern {

namespace {

bool is_public_v4(std::uint32_t a) {  // in the order of the host
  const auto in = [&](std::uint32_t net, int bits) { return (a >> (32 - bits)) == (net >> (32 - bits)); };
  return !(in(0x00000000, 8) || in(0x0A000000, 8) || in(0x64400000, 10) || in(0x7F000000, 8) ||
           in(0xA9FE0000, 16) || in(0xAC100000, 12) || in(0xC0000000, 24) || in(0xC0A80000, 16) ||
           in(0xC6120000, 15) || in(0xE0000000, 3));
}

}  // namespace

bool is_public(const sockaddr& address) {
  if (address.sa_family == AF_INET)
    return is_public_v4(ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr));
  if (address.sa_family != AF_INET6) return false;
  const auto* b = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr.s6_addr;
  const bool mapped =
      std::all_of(b, b + 10, [](unsigned char c) { return c == 0; }) && b[10] == 0xFF && b[11] == 0xFF;
  const bool nat64 = b[0] == 0 && b[1] == 0x64 && b[2] == 0xFF && b[3] == 0x9B;
  if (mapped || nat64)
    return is_public_v4(std::uint32_t{b[12]} << 24 | std::uint32_t{b[13]} << 16 | std::uint32_t{b[14]} << 8 |
                        b[15]);
  return (b[0] & 0xE0) == 0x20 &&
         !(b[0] == 0x20 && b[1] == 0x02);  // global unicast, but no tunnel to an IPv4 address
}

bool uses_proxy() {
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
    if (const char* value = std::getenv(name); value != nullptr && *value != 0) return true;
  return false;
}

}  // namespace tern
