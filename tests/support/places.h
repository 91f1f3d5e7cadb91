// Where this build's programs and this source tree are. Functions of one small file and not definitions of
// every test, so that a compiler cache serves two checkouts alike.
#pragma once

namespace tern::places {

const char* program();     // the built tern
const char* supervisor();  // what process tests start as supervisor
const char* mcp_server();  // tests/support/fake_mcp_main.cpp
const char* source_tree();

}  // namespace tern::places
