// As the program does: the kernel is asked for sandboxes while there is one thread.
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

#include "tools/sandbox/sandbox.h"

namespace {

class EarlyProbe : public Catch::EventListenerBase {
 public:
  using EventListenerBase::EventListenerBase;
  void testRunStarting(const Catch::TestRunInfo&) override { tern::start_sandbox_probe(); }
};

CATCH_REGISTER_LISTENER(EarlyProbe)

}  // namespace
