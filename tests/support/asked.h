// What a command holds, however deep: a command of that type, or a question or change of it.
#pragma once

#include <type_traits>
#include <variant>

#include "agent/protocol/command.h"

namespace tern {

template <class T, class... Types>
constexpr bool is_one_of(const std::variant<Types...>*) {
  return (std::is_same_v<T, Types> || ...);
}

template <class T>
const T* asked_in(const Command& command) {
  if constexpr (is_one_of<T>(static_cast<const Command*>(nullptr))) {
    return std::get_if<T>(&command);
  } else {
    using Asked = std::conditional_t<is_one_of<T>(static_cast<const Query*>(nullptr)), Query, Change>;
    const auto* asked = std::get_if<Asked>(&command);
    return asked ? std::get_if<T>(asked) : nullptr;
  }
}

}  // namespace tern
