// The editor of these tests; it stands in a test's file, for that is what the build looks for.
#include "tests/app/acp/acp_editor.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <stdexcept>

#include "tests/support/places.h"
#include "tools/exec/process.h"

namespace tern::test {

using Json = nlohmann::json;
namespace fs = std::filesystem;

AcpEditor::AcpEditor(std::string_view scenario, const Json& abilities) : model(scenario) {
  fs::create_directories(project());
  fs::create_directories(root / "home");
  set_supervisor(places::supervisor());
  int to[2], from[2];
  REQUIRE(::pipe2(to, O_CLOEXEC) == 0);
  REQUIRE(::pipe2(from, O_CLOEXEC) == 0);
  in_ = to[0], to_ = to[1], from_ = from[0], out_ = from[1];
  world_.in = in_;
  world_.out = out_;
  world_.version = "9.9";
  world_.cwd = project();
  world_.make_setup = [this](const fs::path& cwd, SessionSetup& setup) {
    setup.cwd = cwd;
    setup.home = root / "home";
    setup.model = "anthropic/claude-sonnet-4-5";
    setup.trusted = {root};
    setup.git_patience = {};
    setup.env = [url = model.url(), key = with_key](const std::string& name) {
      if (name == "ANTHROPIC_BASE_URL") return url;
      return name == "ANTHROPIC_API_KEY" && key ? std::string("test-key") : std::string();
    };
    if (!with_key) setup.env = [](const std::string&) { return std::string(); };
    return std::string();
  };
  thread_ = std::thread([this] {
    status_ = serve_acp(world_);
    ::close(out_);
  });
  initialized = call("initialize", {{"protocolVersion", 1}, {"clientCapabilities", abilities}});
}

AcpEditor::~AcpEditor() {
  close();
  ::close(from_);
  ::close(in_);
}

int AcpEditor::close() {
  if (to_ >= 0) ::close(to_);
  to_ = -1;
  while (!read().is_null()) {}
  if (thread_.joinable()) thread_.join();
  return status_;
}

void AcpEditor::write(const std::string& line) {
  const auto text = line + "\n";
  for (std::size_t at = 0; at < text.size();) {
    const auto n = ::write(to_, text.data() + at, text.size() - at);
    REQUIRE(n > 0);
    at += static_cast<std::size_t>(n);
  }
}

std::int64_t AcpEditor::send(const std::string& method, Json params) {
  write(Json{{"jsonrpc", "2.0"}, {"id", next_}, {"method", method}, {"params", std::move(params)}}.dump());
  return next_++;
}

void AcpEditor::notify(const std::string& method, Json params) {
  write(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}.dump());
}

void AcpEditor::answer(const Json& request, Json result) {
  write(Json{{"jsonrpc", "2.0"}, {"id", request.at("id")}, {"result", std::move(result)}}.dump());
}

void AcpEditor::choose(const Json& question, const std::string& option) {
  answer(question, {{"outcome", {{"outcome", "selected"}, {"optionId", option}}}});
}

Json AcpEditor::read() {
  constexpr int patience_ms = 60'000;
  for (;;) {
    if (const auto end = buffer_.find('\n'); end != buffer_.npos) {
      auto message = Json::parse(buffer_.substr(0, end));
      buffer_.erase(0, end + 1);
      CHECK(message.at("jsonrpc") == "2.0");
      return message;
    }
    pollfd waiting{from_, POLLIN, 0};
    if (::poll(&waiting, 1, patience_ms) <= 0) throw std::runtime_error("the agent says nothing");
    char chunk[65536];
    const auto n = ::read(from_, chunk, sizeof chunk);
    if (n <= 0) return nullptr;
    buffer_.append(chunk, static_cast<std::size_t>(n));
  }
}

Json AcpEditor::wait(std::int64_t id) {
  for (;;) {
    auto message = read();
    REQUIRE(message.is_object());
    const bool question = message.contains("method") && message.contains("id");
    if (question || (message.contains("id") && message["id"] == id && !message.contains("method")))
      return message;
    heard.push_back(std::move(message));
  }
}

std::string AcpEditor::open() {
  const auto answer = call("session/new", {{"cwd", project().string()}, {"mcpServers", Json::array()}});
  INFO(answer.dump());
  REQUIRE(answer.contains("result"));
  return answer["result"]["sessionId"];
}

std::int64_t AcpEditor::say(const std::string& session, const std::string& text) {
  const Json block{{"type", "text"}, {"text", text}};
  return send("session/prompt", {{"sessionId", session}, {"prompt", Json::array({block})}});
}

std::vector<Json> AcpEditor::updates(const std::string& kind) const {
  std::vector<Json> found;
  for (const auto& message : heard) {
    if (message.value("method", "") != "session/update") continue;
    const auto& update = message["params"]["update"];
    if (update["sessionUpdate"] == kind) found.push_back(update);
  }
  return found;
}

std::string AcpEditor::text() const {
  std::string text;
  for (const auto& update : updates("agent_message_chunk"))
    text += update["content"]["text"].get<std::string>();
  return text;
}

}  // namespace tern::test
