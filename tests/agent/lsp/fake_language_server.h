// A language server in this process: every line that holds "bad" is an error. It answers on a thread of its
// own, as a real one does.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "agent/mcp/link.h"
#include "agent/mcp/rpc.h"

namespace tern::test {

struct FakeLanguage {
  bool pulls = false;  // speaks only when it is asked
  bool mute = false;   // never speaks of files
  bool stale = false;  // speaks of the version before, too, first
  bool dies = false;   // at the first file
  bool asks = false;   // for configuration and a folder before it is ready
};

// What several servers of one test were told, from any thread.
class Heard {
 public:
  void add(const std::string& method) {
    const std::lock_guard lock(mutex_);
    text_ += method + "\n";
  }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

class FakeLanguageServer : public McpLink {
 public:
  FakeLanguageServer(FakeLanguage kind, std::shared_ptr<Heard> heard)
      : kind_(kind), heard_(std::move(heard)) {}
  ~FakeLanguageServer() override {
    close();
    if (thread_.joinable()) thread_.join();
  }

  std::string open(LinkEvents events) override {
    events_ = std::move(events);
    thread_ = std::thread([this] { serve(); });
    return {};
  }
  std::string send(const Outgoing& message, std::stop_token) override {
    const std::lock_guard lock(mutex_);
    if (!closed_) waiting_.push_back(message.text);
    news_.notify_all();
    return {};
  }
  void close() override {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    news_.notify_all();
  }
  bool tries_modern_first() const override { return false; }

 private:
  using json = nlohmann::json;

  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      news_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
      if (closed_) return;
      const std::string text = std::exchange(waiting_.front(), {});
      waiting_.pop_front();
      lock.unlock();
      const bool lives = take(read_rpc(text));
      lock.lock();
      if (lives) continue;
      closed_ = true;
      lock.unlock();
      return events_.on_end("it crashed");
    }
  }

  bool take(const RpcMessage& message) {
    heard_->add(message.method.empty() ? "answer " + message.body.dump() : message.method);
    if (message.method == "initialize") {
      if (kind_.asks) {
        say(rpc_request(70, "workspace/configuration", {{"items", json::array({1, 2})}}));
        say(rpc_request(71, "window/workDoneProgress/create", {{"token", 1}}));
      }
      const json offers = kind_.pulls ? json{{"diagnosticProvider", json::object()}} : json::object();
      say(rpc_result(message.id,
                     {{"capabilities", offers}, {"serverInfo", {{"name", "fake"}, {"version", "1.2"}}}}));
    }
    if (message.method == "textDocument/didOpen" || message.method == "textDocument/didChange") {
      if (kind_.dies) return false;
      hear_text(message.body);
    }
    if (message.method == "textDocument/diagnostic")
      say(rpc_result(message.id, {{"kind", "full"}, {"items", errors()}}));
    return true;
  }

  void hear_text(const json& params) {
    const json& file = params["textDocument"];
    const std::string before = std::exchange(
        text_, params.contains("contentChanges") ? params["contentChanges"][0]["text"].get<std::string>()
                                                 : file["text"].get<std::string>());
    if (kind_.mute || kind_.pulls) return;
    const int version = file["version"];
    if (kind_.stale) publish(file["uri"], version - 1, json::array({{{"message", "an old error"}}}));
    publish(file["uri"], version, errors());
  }

  void publish(const json& uri, int version, const json& list) {
    say(rpc_notification("textDocument/publishDiagnostics",
                         {{"uri", uri}, {"version", version}, {"diagnostics", list}}));
  }

  json errors() const {
    json list = json::array();
    std::istringstream lines(text_);
    int number = 0;
    for (std::string line; std::getline(lines, line); ++number)
      if (line.find("bad") != line.npos)
        list.push_back({{"range", {{"start", {{"line", number}, {"character", 0}}}}},
                        {"severity", 1},
                        {"message", "wrong: " + line}});
    return list;
  }

  void say(std::string text) const { events_.on_message(std::move(text)); }

  const FakeLanguage kind_;
  std::shared_ptr<Heard> heard_;
  LinkEvents events_;
  std::thread thread_;
  std::string text_;  // the thread's alone

  std::mutex mutex_;  // guards all below
  std::condition_variable news_;
  std::deque<std::string> waiting_;
  bool closed_ = false;
};

}  // namespace tern::test
