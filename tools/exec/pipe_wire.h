// The wire between process.cpp and the supervisor: a 4-byte length, then key NUL value NUL pairs, in order,
// keys may repeat. A request may bring descriptors along; an order to stop is four bytes alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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

inline constexpr std::size_t most_descriptors = 3;

// To a socket; `descriptors`, at most three, go along. False when the other side is gone.
bool send_request(int socket, std::string_view bytes, std::span<const int> descriptors);
// The first four bytes of a message. Descriptors that come along take the numbers `targets`, in order.
bool receive_head(int socket, std::uint32_t& head, std::span<const int> targets);

}  // namespace tern
