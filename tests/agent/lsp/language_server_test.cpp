#include "agent/lsp/language_server.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/support/temp_dir.h"

namespace {

using namespace tern;

std::vector<LanguageServer> servers(const std::string& own, std::string* problem = nullptr) {
  std::vector<std::string> problems;
  auto all = language_servers(own, problems);
  if (problem) *problem = problems.empty() ? "" : problems.front();
  return all;
}

}  // namespace

TEST_CASE("the user's own language servers go before the known ones", "[lsp]") {
  CHECK(server_for(servers(""), "/a/b.cpp")->name == "clangd");
  CHECK(server_for(servers(""), "/a/b.zig") == nullptr);
  const auto zig =
      servers(R"({"zls": {"command": "zls", "args": ["--quiet"], "extensions": {".zig": "zig"}}})");
  CHECK(server_for(zig, "/a/b.zig")->command == std::vector<std::string>{"zls", "--quiet"});
  const auto other = servers(R"({"clangd": {"command": ["clangd-19"]}, "pyright": false})");
  CHECK(server_for(other, "/a/b.cpp")->command.front() == "clangd-19");
  CHECK(server_for(other, "/a/b.py") == nullptr);
}

TEST_CASE("a language server that cannot be used is named and changes nothing", "[lsp]") {
  std::string problem;
  CHECK(servers(R"({"zls": {"command": "zls"}})", &problem) == servers(""));
  CHECK(problem == R"(languageServers.zls needs "extensions", such as {".zig": "zig"})");
  CHECK(servers(R"({"x": 5})", &problem) == servers(""));
  CHECK(problem == "languageServers.x must be an object {command, extensions}, or false");
  CHECK(servers("no JSON") == servers(""));
}

TEST_CASE("a server is for a project that has its files, when it is installed", "[lsp]") {
  const test::TempDir dir;
  const auto bin = dir.path() / "bin";
  std::filesystem::create_directory(bin);
  const auto here = [&] { return servers_at(servers(""), dir.path(), "relative:" + bin.string()); };
  std::ofstream(dir.path() / "go.mod") << "module a\n";
  CHECK(here().empty());
  std::ofstream(bin / "gopls") << "#!/bin/sh\n";
  CHECK(here().empty());
  std::filesystem::permissions(bin / "gopls", std::filesystem::perms::owner_all);
  REQUIRE(here().size() == 1);
  CHECK(here().front().name == "gopls");
}

TEST_CASE("the compiler of TypeScript 7 is its own language server", "[lsp]") {
  const test::TempDir dir;
  const auto installed = dir.path() / "lib/typescript", own = dir.path() / "project/node_modules/typescript";
  const auto bin = dir.path() / "bin", root = dir.path() / "project";
  const auto unpack = [](const std::filesystem::path& package, const std::string& version) {
    std::filesystem::create_directories(package / "bin");
    std::ofstream(package / "package.json") << R"({"name": "typescript", "version": ")" << version << "\"}";
    std::ofstream(package / "bin/tsc") << "#!/bin/sh\n";
    std::filesystem::permissions(package / "bin/tsc", std::filesystem::perms::owner_all);
  };
  std::filesystem::create_directories(bin);
  std::filesystem::create_directories(root);
  const auto launched = [&](const std::string& own_entry = {}) {
    return launch_of(*server_for(servers(own_entry), "/a.ts"), root, bin.string());
  };
  CHECK(launched().empty());

  unpack(installed, "7.0.2");
  std::filesystem::create_symlink(installed / "bin/tsc", bin / "tsc");
  CHECK(launched() == std::vector<std::string>{(bin / "tsc").string(), "--lsp", "--stdio"});

  unpack(own, "5.9.3");  // the project's version decides, and its server is another program
  CHECK(launched().empty());
  std::filesystem::create_symlink(installed / "bin/tsc", bin / "typescript-language-server");
  CHECK(launched() == std::vector<std::string>{(bin / "typescript-language-server").string(), "--stdio"});
  unpack(own, "7.1.0");
  CHECK(launched() == std::vector<std::string>{(own / "bin/tsc").string(), "--lsp", "--stdio"});
  CHECK(launched(R"({"typescript": {"command": "typescript-language-server"}})") ==
        std::vector<std::string>{(bin / "typescript-language-server").string()});

  unpack(installed, "6.0.1");
  std::filesystem::remove_all(own);
  CHECK(launched().back() == "--stdio");
  CHECK(launched().size() == 2);
}
