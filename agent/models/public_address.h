#pragma once

struct sockaddr;

namespace tern {

// An address of the public internet: not this machine's, a private network's, a link's own, or one that
// stands for such.
bool is_public(const sockaddr& address);

// The environment names a proxy for https.
bool uses_proxy();

}  // namespace tern
