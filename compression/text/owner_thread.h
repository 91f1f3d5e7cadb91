// The one thread that may change an object, checked in debug builds: the first check() binds it. A copy is
// nobody's yet.
#pragma once

#include <cassert>
#include <thread>

namespace tern {

class OwnerThread {
 public:
#ifdef NDEBUG
  void check() const {}
  void hand_over() {}
#else
  OwnerThread() = default;
  OwnerThread(const OwnerThread&) {}
  OwnerThread& operator=(const OwnerThread&) { return *this; }
  void check() const {
    if (owner_ == std::thread::id()) owner_ = std::this_thread::get_id();
    assert(owner_ == std::this_thread::get_id() && "only the thread that owns this may change it");
  }
  void hand_over() { owner_ = {}; }  // to the thread that checks next; the one before has ended

 private:
  mutable std::thread::id owner_;
#endif
};

}  // namespace tern
