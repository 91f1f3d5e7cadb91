#include "tests/support/fake_llm.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <list>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <thread>

#include "tests/support/fake_binding.h"
#include "tests/support/fake_wire.h"
#include "tests/support/wires.h"

namespace tern::test {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

std::string api_of(const std::string& path) {
  if (path.find("count_tokens") != path.npos) return "";
  const auto wire = std::find_if(wires().begin(), wires().end(),
                                 [&](const Wire& one) { return path.find(one.mark) != path.npos; });
  return wire == wires().end() ? "" : wire->name;
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string status_text(int status) {
  return "HTTP/1.1 " + std::to_string(status) + (status == 200 ? " OK" : " Refused") + "\r\n";
}

std::string chunked(const std::string& data) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", data.size());
  return data.empty() ? "" : size + data + "\r\n";
}

// One accepted connection. Reading and writing block; shutdown() from another thread ends both.
class Peer {
 public:
  explicit Peer(int socket) : socket_(socket) {}
  ~Peer() { ::close(socket_); }
  void shutdown() const { ::shutdown(socket_, SHUT_RDWR); }

  bool read_until(const std::string& mark, std::string& text) {
    while (true) {
      if (const auto at = buffer_.find(mark); at != buffer_.npos) {
        text = buffer_.substr(0, at + mark.size());
        buffer_.erase(0, at + mark.size());
        return true;
      }
      if (!more()) return false;
    }
  }

  bool read_exactly(std::size_t size, std::string& text) {
    while (buffer_.size() < size)
      if (!more()) return false;
    text = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return true;
  }

  bool write(std::string_view text) const {
    while (!text.empty()) {
      const auto n = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      text.remove_prefix(std::size_t(n));
    }
    return true;
  }

  // The next close() sends a reset instead of an end.
  void reset() const {
    const linger hard{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  }

 private:
  bool more() {
    char chunk[65536];
    const auto n = ::recv(socket_, chunk, sizeof chunk, 0);
    if (n > 0) buffer_.append(chunk, std::size_t(n));
    return n > 0;
  }

  int socket_;
  std::string buffer_;
};

std::int64_t number(const json& object, const char* key, std::int64_t otherwise) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number() ? it->get<std::int64_t>() : otherwise;
}

// By the last message: earlier ones may hold summaries, and the prefix may be that of a turn.
bool is_summary(const std::string& body) {
  const json request = json::parse(body, nullptr, false);
  for (const char* list : {"messages", "input", "contents"})
    if (request.is_object() && request.contains(list) && request[list].is_array() && !request[list].empty()) {
      const std::string last = request[list].back().dump(-1, ' ', false, json::error_handler_t::replace);
      return last.find("<summary>") != last.npos || last.find("state_snapshot") != last.npos;
    }
  return false;
}

bool holds_all(const std::string& body, const json& words) {
  if (words.is_string()) return body.find(words.get<std::string>()) != body.npos;
  return std::all_of(words.begin(), words.end(), [&](const json& word) { return holds_all(body, word); });
}

}  // namespace

bool FakeRequest::asks_for_summary() const { return is_summary(body); }

std::string FakeRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (key == name) return value;
  return {};
}

struct FakeLlm::Server {
  int listener = -1, port = 0;
  std::thread acceptor;
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  bool quit = false;
  json plan = json::object();
  std::size_t next = 0;
  int serial = 0, round = 0;
  std::size_t refused = 0;  // for their length
  std::vector<FakeRequest> log;
  FakeBinding binding;
  std::list<std::thread> threads;
  std::set<Peer*> peers;

  void listen(int wanted) {
    listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET, address.sin_port = htons(std::uint16_t(wanted)),
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 64) != 0)
      throw std::runtime_error("fake_llm: cannot listen on port " + std::to_string(wanted));
    ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    port = ntohs(address.sin_port);
    acceptor = std::thread([this] { accept_all(); });
  }

  void accept_all() {
    while (true) {
      const int socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      const int yes = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      std::lock_guard lock(mutex);
      if (quit) return void(::close(socket));
      threads.emplace_back([this, socket] { serve(socket); });
    }
  }

  void stop() {
    {
      std::lock_guard lock(mutex);
      quit = true;
      for (Peer* peer : peers) peer->shutdown();
    }
    changed.notify_all();
    ::shutdown(listener, SHUT_RDWR);
    acceptor.join();
    ::close(listener);
    for (std::thread& thread : threads) thread.join();
  }

  void serve(int socket) {
    Peer peer(socket);
    {
      std::lock_guard lock(mutex);
      if (quit) return;
      peers.insert(&peer);
    }
    FakeRequest request;
    while (read(peer, request) && answer(peer, request)) request = {};
    std::lock_guard lock(mutex);
    peers.erase(&peer);
  }

  // Waits the time or until the server ends; false = ended.
  bool pause(milliseconds time) {
    std::unique_lock lock(mutex);
    return !changed.wait_for(lock, time, [this] { return quit; });
  }
  bool pause_for_ever() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return quit; });
    return false;
  }

  static bool read(Peer& peer, FakeRequest& request) {
    std::string head;
    if (!peer.read_until("\r\n\r\n", head)) return false;
    const auto first = head.find("\r\n");
    const auto blank = head.find(' '), second = head.find(' ', blank + 1);
    request.method = head.substr(0, blank);
    request.path = head.substr(blank + 1, second - blank - 1);
    for (std::size_t at = first + 2; at + 2 < head.size();) {
      const auto end = head.find("\r\n", at), colon = head.find(':', at);
      if (colon < end)
        request.headers.emplace_back(lower(head.substr(at, colon - at)),
                                     head.substr(std::min(colon + 2, end), end - std::min(colon + 2, end)));
      at = end + 2;
    }
    request.api = api_of(request.path);
    const std::string length = request.header("content-length");
    return peer.read_exactly(length.empty() ? 0 : std::stoul(length), request.body);
  }

  bool answer(Peer& peer, const FakeRequest& request) {
    if (request.path == "/__log") return send_whole(peer, 200, log_text());
    if (request.method == "GET")
      return send_whole(
          peer, request.path.ends_with("/models") ? 200 : 404,
          R"({"object":"list","data":[{"id":"fake-model"},{"id":"fake-small","max_model_len":24000},{"id":"fake-cpp","meta":{"n_ctx":20000}}]})");
    if (request.api.empty()) return send_whole(peer, 404, R"({"error":{"message":"no such endpoint"}})");
    int now = 0;
    json reply = choose(request, now);
    if (!reply.contains("fault")) refuse_over_limit(request, reply);
    return play(peer, request, reply, now);
  }

  void refuse_over_limit(const FakeRequest& request, json& reply) {
    const std::lock_guard lock(mutex);
    const std::int64_t limit = number(plan, "limit", 0), size = std::int64_t(request.body.size()) / 4;
    if (limit == 0 || size <= limit) return;
    const std::string shape = plan.value("shape", request.api);
    if (shape == "silent")  // takes what fits and says nothing
      reply["usage"] = {{"input", limit}, {"output", 5}};
    else
      reply["fault"] = {{"kind", "overflow"}, {"limit", limit}, {"asked", size}, {"shape", shape}};
    ++refused;
  }

  // The reply this request gets; also writes the log.
  json choose(const FakeRequest& request, int& now) {
    std::lock_guard lock(mutex);
    log.push_back(request);
    now = ++serial;
    changed.notify_all();
    if (const std::string word = plan.value("refuses", "");
        !word.empty() && request.body.find(word) != word.npos)
      return {{"fault", {{"kind", "status"}, {"status", 400}, {"message", "Unknown field: " + word}}}};
    const bool binds = request.api == "anthropic" && plan.value("bind", false);
    if (binds)
      if (const std::string why = binding.refusal(request); !why.empty())
        return {{"fault", {{"kind", "status"}, {"status", 400}, {"message", why}}}};
    json reply = next_reply(request);
    if (binds && reply.contains("thinking"))
      binding.thought(request, reply.value("signature", "sig-" + std::to_string(now)));
    return reply;
  }

  json next_reply(const FakeRequest& request) {
    if (plan.contains("summary") && request.asks_for_summary()) return plan["summary"];
    if (plan.contains("match"))
      for (const json& row : plan["match"])
        if (holds_all(request.body, row.value("when", json("")))) return row;
    const json replies = plan.value("replies", json::array());
    if (plan.value("loop", false) && next >= replies.size()) next = 0;
    if (next < replies.size()) return replies[next++];
    return plan.contains("rounds") ? next_round(plan["rounds"]) : plan.value("default", json{{"text", "ok"}});
  }

  json next_round(const json& rounds) {
    if (round >= rounds.value("n", 0)) return {{"text", rounds.value("final", "done")}};
    ++round;
    std::string call = rounds.value("call", json::object()).dump(), text = rounds.value("text", "Round $i.");
    replace_all(call, "$i", std::to_string(round));
    replace_all(text, "$i", std::to_string(round));
    return {{"text", text}, {"calls", json::array({json::parse(call)})}};
  }

  std::string log_text() {
    std::lock_guard lock(mutex);
    json out = json::array();
    for (const FakeRequest& request : log)
      out.push_back({{"api", request.api},
                     {"path", request.path},
                     {"body", json::parse(request.body, nullptr, false)}});
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
  }

  static bool send_whole(Peer& peer, int status, const std::string& body,
                         const std::string& headers = "content-type: application/json\r\n") {
    return peer.write(status_text(status) + headers + "content-length: " + std::to_string(body.size()) +
                      "\r\n\r\n" + body);
  }

  static FakeUsage usage_of(const FakeRequest& request, const json& reply) {
    const json usage = reply.value("usage", json::object());
    const auto text =
        std::int64_t(reply.value("text", "").size() + reply.value("calls", json::array()).dump().size());
    return {number(usage, "input", std::int64_t(request.body.size()) / 4), number(usage, "output", text / 4),
            number(usage, "cache_read", 0), number(usage, "cache_write", 0), number(usage, "long_write", 0)};
  }

  bool play(Peer& peer, const FakeRequest& request, const json& reply, int now) {
    const json fault = reply.value("fault", json::object());
    const std::string kind = fault.value("kind", "");
    if (kind == "no_head") return pause_for_ever();
    if (const auto wait = number(reply, "first_delay_ms", 0); wait > 0 && !pause(milliseconds(wait)))
      return false;
    if (kind == "status" || kind == "html" || kind == "spend_limit" || kind == "overflow")
      return refuse(peer, request, fault, kind);
    const bool searches = request.body.find(R"("type":"tool_search")") != std::string::npos;
    auto events = fake_stream(request.api, reply, usage_of(request, reply), now, searches ? "McpTools" : "");
    if (kind == "badsse")
      events.insert(events.begin() + long(events.size() / 2), fake_broken_event(request.api));
    if (kind == "error_event") {
      events.resize(
          std::min(events.size(), std::size_t(number(fault, "after", std::int64_t(events.size() / 2)))));
      events.push_back(fake_error_event(request.api, fault.value("type", "overloaded_error"),
                                        fault.value("message", "Overloaded")));
    }
    if (!send_head(peer, request, kind)) return false;
    return stream(peer, events, reply, fault, kind);
  }

  static bool refuse(Peer& peer, const FakeRequest& request, const json& fault, const std::string& kind) {
    std::string headers = "content-type: application/json\r\nrequest-id: req_fake\r\n";
    for (const char* name : {"retry-after", "retry-after-ms", "location"})
      if (fault.contains(name))
        headers += std::string(name) + ": " +
                   (fault[name].is_string() ? fault[name].get<std::string>() : fault[name].dump()) + "\r\n";
    const int status = int(number(fault, "status", kind == "html" ? 502 : 429));
    if (kind == "html")
      return send_whole(
          peer, status,
          "<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1>nginx</body></html>",
          "content-type: text/html\r\n");
    if (kind == "spend_limit")
      return send_whole(
          peer, 429,
          R"({"type":"error","error":{"type":"rate_limit_error","message":"Spend limit reached","details":{"error_code":"enforced_spend_limit_reached"}}})",
          headers);
    if (kind == "overflow") {
      const auto full = fake_overflow(fault.value("shape", request.api), number(fault, "limit", 200'000),
                                      number(fault, "asked", 213'462));
      if (full.stream) headers = "content-type: text/event-stream\r\n";
      return send_whole(peer, int(number(fault, "status", full.status)), full.body, headers);
    }
    return send_whole(
        peer, status,
        fault.value("body", fake_error(request.api, status, fault.value("message", "mock refusal"))),
        headers);
  }

  static bool send_head(Peer& peer, const FakeRequest& request, const std::string& kind) {
    std::string head = status_text(200) + "content-type: ";
    head += request.api == "ollama" ? "application/x-ndjson" : "text/event-stream; charset=utf-8";
    if (kind == "bad_gzip") head += "\r\ncontent-encoding: gzip";
    return peer.write(head + "\r\nrequest-id: req_fake\r\ntransfer-encoding: chunked\r\n\r\n");
  }

  bool stream(Peer& peer, const std::vector<std::string>& events, const json& reply, const json& fault,
              const std::string& kind) {
    std::string all;
    for (const std::string& event : events) all += event;
    const bool cuts = kind == "reset" || kind == "eof" || kind == "hang" || kind == "stall";
    if (cuts) {
      const auto at =
          std::min<std::size_t>(std::size_t(number(fault, "at", std::int64_t(all.size() / 2))), all.size());
      if (!peer.write(chunked(all.substr(0, at)))) return false;
      if (kind == "hang") return pause_for_ever();
      if (kind == "reset") return peer.reset(), pause(milliseconds(number(fault, "ms", 20))) && false;
      if (kind == "eof") return peer.write("0\r\n\r\n");
      if (!pause(milliseconds(number(fault, "ms", 1'000)))) return false;
      return peer.write(chunked(all.substr(at)) + "0\r\n\r\n");
    }
    const milliseconds delay(number(reply, "delay_ms", 0));
    if (delay.count() == 0) return peer.write(chunked(all) + "0\r\n\r\n");
    for (const std::string& event : events)
      if (!peer.write(chunked(event)) || !pause(delay)) return false;
    return peer.write("0\r\n\r\n");
  }
};

FakeLlm::FakeLlm(std::string_view text, int port) : server_(std::make_unique<Server>()) {
  scenario(text);
  server_->listen(port);
}

FakeLlm::~FakeLlm() { server_->stop(); }

int FakeLlm::port() const { return server_->port; }
std::string FakeLlm::url() const { return "http://127.0.0.1:" + std::to_string(server_->port); }

void FakeLlm::scenario(std::string_view text) {
  json plan = json::parse(text, nullptr, false, true);
  if (!plan.is_object()) throw std::runtime_error("fake_llm: the scenario is not a JSON object");
  std::lock_guard lock(server_->mutex);
  server_->plan = std::move(plan);
  server_->next = 0, server_->round = 0;
  server_->log.clear();
  server_->refused = 0;
}

std::size_t FakeLlm::refused() const {
  std::lock_guard lock(server_->mutex);
  return server_->refused;
}

std::vector<FakeRequest> FakeLlm::requests() const {
  std::lock_guard lock(server_->mutex);
  return server_->log;
}

bool FakeLlm::wait_for_requests(std::size_t count, milliseconds patience) const {
  std::unique_lock lock(server_->mutex);
  return server_->changed.wait_for(lock, patience, [&] { return server_->log.size() >= count; });
}

std::vector<std::string> FakeLlm::shape_problems() const {
  std::vector<std::string> out;
  std::size_t n = 0;
  for (const FakeRequest& request : requests()) {
    ++n;
    for (const std::string& problem : test::shape_problems(request.api, request.body))
      out.push_back("request " + std::to_string(n) + ": " + problem);
  }
  return out;
}

}  // namespace tern::test
