// The real program over TLS: a certificate of one's own is refused with a word that helps, taken when it is
// named, and the answer is the same with HTTP/2 and without. The server is node's, in front of the fake one.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/support/fake_llm.h"
#include "tests/support/headless.h"

using namespace tern::test;

namespace {

constexpr const char* relay = R"(
const fs = require('fs'), http = require('http'), up = Number(process.argv[2]);
const tls = {key: fs.readFileSync('key.pem'), cert: fs.readFileSync('cert.pem')};
const pass = (asked, answer) => {
  fs.appendFileSync('versions', asked.httpVersion + '\n');
  const headers = Object.fromEntries(Object.entries(asked.headers).filter(([name]) => name[0] != ':'));
  const out = http.request({host: '127.0.0.1', port: up, method: asked.method, path: asked.url, headers}, (back) => {
    for (const name of ['connection', 'transfer-encoding', 'keep-alive']) delete back.headers[name];
    answer.writeHead(back.statusCode, back.headers); back.pipe(answer);
  });
  asked.pipe(out);
};
const server = process.argv[3] == '2' ? require('http2').createSecureServer({...tls, allowHTTP1: true}, pass)
                                      : require('https').createServer(tls, pass);
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit()).resume();
)";

bool possible() {
  return std::system("node --version > /dev/null 2>&1") == 0 &&
         std::system("openssl version > /dev/null 2>&1") == 0;
}

class SecureServer {
 public:
  SecureServer(const Home& home, int upstream, const char* version) : folder_(home.path) {
    const auto in = "cd '" + folder_.string() + "' && ";
    const auto make =
        in +
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost "
        "-addext subjectAltName=IP:127.0.0.1 > /dev/null 2>&1";
    REQUIRE(std::system(make.c_str()) == 0);
    std::ofstream(folder_ / "relay.js") << relay;
    int to[2], from[2];
    REQUIRE(::pipe2(to, O_CLOEXEC) == 0);
    REQUIRE(::pipe2(from, O_CLOEXEC) == 0);
    const auto port_upstream = std::to_string(upstream);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(to[0], 0), ::dup2(from[1], 1);
      if (::chdir(folder_.c_str()) != 0) ::_exit(126);
      ::execlp("node", "node", "relay.js", port_upstream.c_str(), version, nullptr);
      ::_exit(127);
    }
    ::close(to[0]), ::close(from[1]);
    hold_ = to[1];
    char port[16] = {};
    REQUIRE(::read(from[0], port, sizeof port - 1) > 0);
    ::close(from[0]);
    url = "https://127.0.0.1:" + std::to_string(std::atoi(port));
  }
  ~SecureServer() {
    ::close(hold_);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::string versions() const {
    std::ifstream file(folder_ / "versions");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string url;

 private:
  std::filesystem::path folder_;
  pid_t pid_ = -1;
  int hold_ = -1;
};

}  // namespace

TEST_CASE("a certificate that nobody signed ends the call at once, with its reason and a way out") {
  if (!possible()) SKIP("node or openssl is missing, so there is no secure server to talk to");
  const FakeLlm llm(R"({"default":{"text":"never asked for"}})");
  const Home home;
  const SecureServer server(home, llm.port(), "2");
  Headless tern(home, wires()[0], server.url, {"-p", "hello"});
  tern.close_input();
  CHECK(tern.wait() == 4);
  INFO(tern.errors());
  CHECK(tern.errors().find("no secure connection to 127.0.0.1") != std::string::npos);
  CHECK(tern.errors().find("certificate") != std::string::npos);
  CHECK(tern.errors().find("SSL_CERT_FILE") != std::string::npos);
  CHECK(llm.requests().empty());
  CHECK(server.versions().empty());
}

TEST_CASE("the answer is the same over HTTP/2 and HTTP/1.1, with a certificate that is named") {
  if (!possible()) SKIP("node or openssl is missing, so there is no secure server to talk to");
  for (const char* version : {"2", "1.1"}) {
    for (const char* variable : {"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"}) {
      const FakeLlm llm(
          R"({"replies": [{"calls": [{"name": "Bash", "arguments": {"command": "seq 1 5000"}}]}],
                            "default": {"text": "five thousand lines, seen", "pieces": 3}})");
      const Home home;
      const SecureServer server(home, llm.port(), version);
      const auto named = std::string(variable) + "=" + (home.path / "cert.pem").string();
      Headless tern(home, wires()[0], server.url, {"-p", "count", "--permission-mode", "bypass"}, {named});
      tern.close_input();
      INFO(version << " " << variable << "\n" << tern.errors());
      CHECK(tern.line() == "five thousand lines, seen");
      CHECK(tern.wait() == 0);
      CHECK(llm.requests().size() == 2);
      CHECK(llm.shape_problems().empty());
      const std::string one = version[0] == '2' ? "2.0\n" : "1.1\n";
      CHECK(server.versions() == one + one);
    }
  }
}
