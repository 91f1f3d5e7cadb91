#include "tests/support/places.h"

namespace tern::places {

const char* program() { return TERN_BINARY; }
const char* supervisor() { return TERN_SUPERVISOR; }
const char* mcp_server() { return TERN_FAKE_MCP; }
const char* source_tree() { return TERN_SOURCE_DIR; }

}  // namespace tern::places
