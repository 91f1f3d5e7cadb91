#include "agent/mcp/approvals.h"

#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/support/temp_dir.h"

using namespace tern;

namespace {

McpServer project_server(const std::string& entry) {
  const Variables none = [](const std::string&) -> const char* { return nullptr; };
  return read_mcp_servers(R"({"s":)" + entry + "}", "/p/.mcp.json", McpScope::project, none).servers.front();
}

}  // namespace

TEST_CASE("mcp approvals: an answer holds for this entry of this project, over restarts") {
  const test::TempDir folder;
  const std::filesystem::path file = folder.path() / "state" / "mcp-servers";
  const McpServer server = project_server(R"({"command":"a"})");
  {
    McpApprovals list(file);
    CHECK(list.of(folder.path(), server) == EntryAnswer::unknown);
    CHECK(list.decide(folder.path(), server, EntryAnswer::approved).empty());
  }
  const McpApprovals list(file);
  CHECK(list.of(folder.path(), server) == EntryAnswer::approved);
  CHECK(list.of("/elsewhere", server) == EntryAnswer::unknown);
  CHECK(list.of(folder.path(), project_server(R"({"command":"a","args":["--evil"]})")) ==
        EntryAnswer::unknown);
}

TEST_CASE("mcp approvals: a no is kept, can be changed and forgotten") {
  const test::TempDir folder;
  McpApprovals list(folder.path() / "list");
  const McpServer server = project_server(R"({"command":"a"})");
  CHECK(list.decide(folder.path(), server, EntryAnswer::refused).empty());
  CHECK(list.of(folder.path(), server) == EntryAnswer::refused);
  CHECK(list.decide(folder.path(), server, EntryAnswer::approved).empty());
  CHECK(list.of(folder.path(), server) == EntryAnswer::approved);
  CHECK(list.forget(folder.path()).empty());
  CHECK(list.of(folder.path(), server) == EntryAnswer::unknown);
}

TEST_CASE(
    "mcp approvals: a list that others may write is not believed, and the user's own servers need none") {
  const test::TempDir folder;
  const std::filesystem::path file = folder.path() / "list";
  McpServer server = project_server(R"({"command":"a"})");
  CHECK(McpApprovals(file).decide(folder.path(), server, EntryAnswer::approved).empty());
  ::chmod(file.c_str(), 0666);
  CHECK(McpApprovals(file).of(folder.path(), server) == EntryAnswer::unknown);
  server.scope = McpScope::user;
  CHECK(McpApprovals({}).of(folder.path(), server) == EntryAnswer::approved);
}

TEST_CASE("mcp approvals: a server of the user's that was let out of the sandbox is so in every folder") {
  const test::TempDir folder;
  McpServer server = project_server(R"({"command":"a"})");
  server.scope = McpScope::user;
  McpApprovals list(folder.path() / "list");
  CHECK(list.decide("/here", server, EntryAnswer::granted).empty());
  CHECK(list.of("/elsewhere", server) == EntryAnswer::granted);
  CHECK(list.allow("/elsewhere", server));
  McpServer changed = server;
  changed.hash = "another";
  CHECK(list.of("/here", changed) == EntryAnswer::approved);
  CHECK(list.decide("/here", server, EntryAnswer::approved).empty());
  CHECK(list.of("/here", server) == EntryAnswer::approved);
}

TEST_CASE("mcp approvals: a project's server is let out in that project only, as it was then") {
  const test::TempDir folder;
  const McpServer server = project_server(R"({"command":"a"})");
  McpApprovals list(folder.path() / "list");
  CHECK(list.decide(folder.path(), server, EntryAnswer::granted).empty());
  CHECK(list.of(folder.path(), server) == EntryAnswer::granted);
  CHECK_FALSE(list.allow("/elsewhere", server));
  CHECK_FALSE(list.allow(folder.path(), project_server(R"({"command":"b"})")));
}
