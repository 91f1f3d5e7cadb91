// Against a server on this machine; what may not be asked for outside of tests is in the last cases.
#include "agent/web/web_fetch.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "agent/gate/permission.h"
#include "agent/models/public_address.h"
#include "agent/models/url.h"
#include "tests/support/pdf_file.h"
#include "tests/support/places.h"
#include "tests/support/tiny_http.h"
#include "tests/tools/world.h"
#include "tools/exec/process.h"

using namespace tern;
using nlohmann::json;

namespace {

PageRead read_here(const std::string& html, const std::string& base, ToolContext&) {
  return {html_markdown(html, base), {}};
}

// Gives each path its raw answer; counts what it was asked.
class WebServer {
 public:
  explicit WebServer(std::map<std::string, std::string> answers)
      : answers_(std::move(answers)), http_([this](const test::HttpAsked& one) {
          ++asked;
          const auto found = answers_.find(one.path);
          return found == answers_.end() ? "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n" : found->second;
        }) {}
  std::atomic<int> asked{0};

 private:
  std::map<std::string, std::string> answers_;
  test::TinyHttp http_;

 public:
  const std::string base = http_.base();
};

std::string page(const std::string& body, const std::string& type = "text/html") {
  return "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nConnection: close\r\n\r\n" + body;
}
std::string moved(const std::string& to) {
  return "HTTP/1.1 302 Found\r\nLocation: " + to + "\r\nContent-Length: 0\r\n\r\n";
}

struct Fetching {
  testing::World world;
  std::chrono::steady_clock::time_point now{};
  Tool tool = web_fetch_tool({.public_only = false, .read = read_here, .now = [this] { return now; }});
  std::filesystem::path spill = testing::World::make(world.temp.path() / "spill");
  ToolOutput get(const std::string& url, const char* format = "markdown") {
    return test::call_tool(tool, {{"url", url}, {"format", format}},
                           {world.workspace, world.files, world.journal, world.jobs, world.todos}, "c1",
                           world.sandbox, [this](ToolContext& ctx) { ctx.spill_dir = spill; });
  }
};

bool says(const ToolOutput& output, const std::string& part) {
  return output.text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a page comes as Markdown, says whose words it holds, and is asked for once in 15 minutes") {
  WebServer server({{"/a", page("<title>T</title><h1>Hello</h1><a href='b'>next</a>")},
                    {"/json", page("{\"a\":1}", "application/json")}});
  Fetching fetching;
  const auto output = fetching.get(server.base + "/a#part");
  CHECK_FALSE(output.is_error);
  CHECK(says(output, "not of the user"));
  CHECK(says(output, "# T\n\n# Hello\n\n[next](" + server.base + "/b)"));
  CHECK(says(fetching.get(server.base + "/a", "html"), "<h1>Hello</h1>"));
  CHECK(server.asked == 1);
  fetching.now += std::chrono::minutes(16);
  fetching.get(server.base + "/a");
  CHECK(server.asked == 2);
  CHECK(says(fetching.get(server.base + "/json"), "{\"a\":1}"));
}

TEST_CASE("redirects are followed on the host, told when they leave it, and end") {
  WebServer server({{"/one", moved("/two")},
                    {"/two", moved("three")},
                    {"/three", page("<p>there</p>")},
                    {"/away", moved("https://elsewhere.example/x")},
                    {"/inside", moved("http://169.254.169.254/latest/meta-data")},
                    {"/round", moved("/round")}});
  Fetching fetching;
  CHECK(says(fetching.get(server.base + "/one"), "there"));
  const auto away = fetching.get(server.base + "/away");
  CHECK(away.is_error);
  CHECK(says(away, "leads to another host: https://elsewhere.example/x"));
  CHECK(says(fetching.get(server.base + "/inside"), "leads to another host"));
  CHECK(says(fetching.get(server.base + "/round"), "more than 5 times"));
}

TEST_CASE("what is wrong with a page is said") {
  WebServer server({{"/picture", page("\x89PNG", "image/png")},
                    {"/latin", page("<p>caf\xe9</p>", "text/html; charset=iso-8859-1")},
                    {"/meta", page("<meta charset=\"gbk\"><p>\xd6\xd0\xce\xc4</p>")},
                    {"/lie", page("<p>ok \xff\xfe</p>", "text/html; charset=utf-8")},
                    {"/bomb", page(std::string(30'000'000, 'x'), "text/plain")}});
  Fetching fetching;
  CHECK(says(fetching.get(server.base + "/none"), "status 404"));
  CHECK(says(fetching.get(server.base + "/picture"), "image/png, not text"));
  CHECK(says(fetching.get(server.base + "/latin"), "café"));
  CHECK(says(fetching.get(server.base + "/meta"), "中文"));
  CHECK(says(fetching.get(server.base + "/lie"), "ok "));
  const auto bomb = fetching.get(server.base + "/bomb");
  CHECK(bomb.text.size() < 10'001'000);
  CHECK(says(bomb, "[cut after 10 MB]"));
}

TEST_CASE("a PDF of the web is its text, and what cannot be read is said") {
  WebServer server({{"/report.pdf", page(test::pdf_of({"Quarterly figures", "Outlook"}), "application/pdf")},
                    {"/plain", page(test::pdf_of({"Unnamed"}), "application/octet-stream")},
                    {"/broken.pdf", page("%PDF-1.7 nothing", "application/pdf")}});
  set_supervisor(places::supervisor());
  Fetching fetching;
  const auto output = fetching.get(server.base + "/report.pdf");
  if (std::system("pdftotext -v > /dev/null 2>&1") != 0) {
    CHECK(says(output, "pdftotext is not installed"));
    return;
  }
  CHECK_FALSE(output.is_error);
  CHECK(says(output, "not of the user"));
  CHECK(says(output, "[page 2]"));
  CHECK(says(output, "Outlook"));
  CHECK(says(fetching.get(server.base + "/plain"), "Unnamed"));
  CHECK(fetching.get(server.base + "/broken.pdf").is_error);
  CHECK(std::filesystem::is_empty(fetching.spill));  // the file it was read from is gone
}

TEST_CASE("no address of this machine or its networks is fetched, however it is written") {
  WebServer server({{"/a", page("secret")}});
  Fetching fetching;
  fetching.tool = web_fetch_tool();
  const std::string port = server.base.substr(server.base.rfind(':'));
  for (const std::string host :
       {"127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.1", "2130706433", "0x7f.0.0.1", "10.0.0.1",
        "169.254.169.254", "printer", "nas.local", "vault.internal", "[fe80::1]", "127.0.0.1."}) {
    INFO(host);
    const auto output = fetching.get("https://" + host + port + "/a");
    CHECK(output.is_error);
    CHECK(says(output, "private network"));
  }
  CHECK(server.asked == 0);
}

TEST_CASE("the address that is connected to decides, not the name") {
  const auto v4 = [](const char* text) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    ::inet_pton(AF_INET, text, &at.sin_addr);
    return is_public(reinterpret_cast<const sockaddr&>(at));
  };
  const auto v6 = [](const char* text) {
    sockaddr_in6 at{};
    at.sin6_family = AF_INET6;
    ::inet_pton(AF_INET6, text, &at.sin6_addr);
    return is_public(reinterpret_cast<const sockaddr&>(at));
  };
  for (const char* text : {"8.8.8.8", "93.184.216.34", "172.15.0.1", "172.32.0.1", "100.63.255.255"})
    CHECK(v4(text));
  for (const char* text :
       {"127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1",
        "169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.0.1"}) {
    INFO(text);
    CHECK_FALSE(v4(text));
  }
  for (const char* text : {"2606:4700::1111", "::ffff:8.8.8.8"}) CHECK(v6(text));
  for (const char* text : {"::1", "::", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "::ffff:10.0.0.1",
                           "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"}) {
    INFO(text);
    CHECK_FALSE(v6(text));
  }
}

TEST_CASE("the person is asked for a host, and a yes covers that host and what lies below it") {
  testing::World world;
  const Tool tool = web_fetch_tool();
  PermissionPolicy policy;
  const auto decided = [&](const char* url) {
    const json args{{"url", url}};
    return decide(policy, {tool, args, world.workspace});
  };
  const auto first = decided("http://Docs.example.com/x");
  const auto* ask = std::get_if<Ask>(&first);
  REQUIRE(ask);
  CHECK(ask->reason == "connects to docs.example.com");
  CHECK(ask->remember == "fetching from docs.example.com");
  REQUIRE(ask->grants.size() == 1);
  CHECK(rule_text(ask->grants[0]) == "WebFetch(domain:docs.example.com)");
  policy.rules.push_back({PermissionRule::Kind::allow, "WebFetch", "domain:example.com", "test"});
  CHECK(std::holds_alternative<Allow>(decided("https://docs.example.com/y")));
  CHECK(std::holds_alternative<Ask>(decided("https://notexample.com/")));
  CHECK(std::holds_alternative<Ask>(decided("https://example.com.evil.org/")));
  policy.rules = {{PermissionRule::Kind::allow, "Read", "", "test"}};
  CHECK(std::holds_alternative<Ask>(decided("https://example.com/")));
  policy.rules = {{PermissionRule::Kind::deny, "WebFetch", "domain:example.com", "test"}};
  policy.mode = PermissionMode::bypass;
  policy.bypass_by_flag = true;
  CHECK(std::holds_alternative<Deny>(decided("https://example.com/")));
  policy.mode = PermissionMode::plan;
  CHECK(std::holds_alternative<Ask>(decided("https://other.org/")));
}
