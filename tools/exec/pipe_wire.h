// The wire between process.cpp and the supervisor: a 4-byte length, then key NUL value NUL pairs, in order, keys may repeat. A
// request may bring a descriptor along; an order to stop is four bytes alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

// Set in the four bytes that order a stop (the rest is the grace in ms), never in the length of a request.
inline constexpr std::uint32_t stop_order = 1u << 31;

using Fields = std::vector<std::pair<std::string, std::string>>;
std::string pack_fields(const Fields& fields);
Fields unpack_fields(std::string_view payload);

bool read_exactly(int fd, char* to, std::size_t size);
void write_all(int fd, std::string_view bytes);

// To a socket; `descriptor` goes along unless it is negative. False when the other side is gone.
bool send_request(int socket, std::string_view bytes, int descriptor);
// The first four bytes of a message. A descriptor that comes along becomes number `target`.
bool receive_head(int socket, std::uint32_t& head, int target);

}  // namespace tern
