// What a tool call may do to the world.
#pragma once

#include <initializer_list>

namespace tern {

// What a call may do. What only reads runs in parallel, and unasked inside the workspace; `context` touches
// the conversation alone.
enum class Effect { read, write, execute, network, context };

class EffectSet {
 public:
  constexpr EffectSet(Effect one) : bits_(bit(one)) {}
  constexpr EffectSet(std::initializer_list<Effect> all) {
    for (const Effect one : all) bits_ |= bit(one);
  }
  constexpr bool has(Effect one) const { return (bits_ & bit(one)) != 0; }
  constexpr bool only(Effect one) const { return bits_ == bit(one); }

 private:
  static constexpr unsigned bit(Effect one) { return 1U << static_cast<unsigned>(one); }
  unsigned bits_ = 0;
};

}  // namespace tern
