// Addresses of servers as people write them: with or without scheme, trailing slash, version or endpoint.
#pragma once

#include <string>
#include <string_view>

namespace tern {

struct Url {
  std::string scheme, host, path;  // host without brackets or port
  int port = 0;                    // 0 = the scheme's own, -1 = none that can be
};
Url parse_url(std::string_view text);
bool is_loopback(std::string_view host);
// A name or a literal address that is never of the public web: no dot, a local suffix, a private, loopback or
// link-local number.
bool is_private_name(std::string_view host);

// base + version (unless the base ends in one, or in an endpoint of ours) + endpoint:
// ("https://h/", "/v1", "/messages") and ("https://h/v1", …) and ("https://h/v1/messages", …) are the same
// address.
std::string endpoint_url(std::string_view base, std::string_view version, std::string_view endpoint);
// "localhost:11434", "0.0.0.0", "https://h" → a base URL; the default port is used when a bare host has none.
std::string host_url(std::string_view host, int default_port);
// Why this address must not be spoken to; empty = fine. Keys and code travel encrypted except on this
// machine.
std::string refusal(std::string_view url);

}  // namespace tern
