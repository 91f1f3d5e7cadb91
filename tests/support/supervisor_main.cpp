// The supervisor alone, so that the tests of the lower folders do not wait for the whole program; also
// `sandbox -- command`.
#include <cstring>

#include "tools/exec/supervisor.h"
#include "tools/sandbox/sandbox.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "sandbox") == 0) return tern::sandbox_main(argc - 1, argv + 1);
  return tern::supervise_main(argc, argv);
}
