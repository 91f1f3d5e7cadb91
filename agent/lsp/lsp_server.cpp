#include "agent/lsp/lsp_server.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "agent/mcp/file_uri.h"
#include "agent/mcp/rpc.h"
#include "tools/set/args.h"

namespace tern {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr std::size_t kMostOpen = 50;
constexpr std::int64_t kInitialize = 1;

struct OpenFile {
  std::string text;
  int version = 0;
  std::uint64_t shown = 0;  // when, in the order of all
  std::optional<std::vector<Diagnostic>> pushed, pulled;
  std::int64_t asked = 0;  // the request that pulls
  Clock::time_point heard;
};

// No "diagnostic" here: a server that is told of it may wait to be asked, and pyright does.
json capabilities() {
  return {{"textDocument",
           {{"synchronization", {{"didSave", true}}}, {"publishDiagnostics", {{"versionSupport", true}}}}},
          {"workspace", {{"configuration", true}, {"workspaceFolders", true}}},
          {"window", {{"workDoneProgress", false}}}};
}

}  // namespace

struct LspServer::Impl {
  std::unique_ptr<McpLink> link;
  Settings settings;
  std::thread opener;

  mutable std::mutex mutex;  // guards all below
  std::condition_variable_any changed;
  LspPhase phase = LspPhase::starting;
  std::string why, version;
  bool pulls = false;             // it has to be asked
  std::vector<std::string> held;  // until it is ready
  std::map<fs::path, OpenFile> files;
  std::int64_t last_id = kInitialize;
  std::uint64_t shows = 0;

  void begin();
  void hear(std::string text);
  void hear_ready(const json& result);
  void hear_push(const json& params);
  void hear_pull(const RpcMessage& message);
  void answer(const RpcMessage& question);
  void fail(std::string reason);
  void say(std::string message);  // with the lock held
  void tell(const char* method, const json& params) { say(rpc_notification(method, params)); }
  void pull(const fs::path& file, OpenFile& open);
  void close_oldest();
  bool settled(const OpenFile& open) const;
  json folder() const {
    return {{"uri", file_uri(settings.root)}, {"name", settings.root.filename().string()}};
  }
};

// ---------------------------------------------------------------- what arrives

void LspServer::Impl::begin() {
  LinkEvents events;
  events.on_message = [this](std::string text) { hear(std::move(text)); };
  events.on_oversized = [](std::string_view, std::string_view) {};
  events.on_end = [this](std::string reason) { fail(std::move(reason)); };
  if (std::string wrong = link->open(std::move(events)); !wrong.empty()) return fail(std::move(wrong));
  const std::string root = file_uri(settings.root);
  const json params{{"processId", nullptr},
                    {"rootUri", root},
                    {"rootPath", settings.root.string()},
                    {"workspaceFolders", {folder()}},
                    {"capabilities", capabilities()},
                    {"clientInfo", {{"name", "tern"}, {"version", settings.version}}}};
  link->send({.text = rpc_request(kInitialize, "initialize", params)}, {});
}

void LspServer::Impl::hear(std::string text) {
  const RpcMessage message = read_rpc(std::move(text));
  switch (message.kind) {
    case RpcKind::request: return answer(message);
    case RpcKind::notification:
      if (message.method == "textDocument/publishDiagnostics") hear_push(message.body);
      return;
    case RpcKind::result:
      if (message.ours == kInitialize) return hear_ready(message.body);
      return hear_pull(message);
    case RpcKind::error:
      if (message.ours == kInitialize) fail("it refused to start: " + message.error.message);
      return;
    case RpcKind::unreadable: return;
  }
}

void LspServer::Impl::hear_ready(const json& result) {
  {
    const std::lock_guard lock(mutex);
    if (phase != LspPhase::starting) return;
    phase = LspPhase::ready;
    const auto provider = object_in(result, "capabilities").find("diagnosticProvider");
    pulls = provider != object_in(result, "capabilities").end() && !provider->is_null();
    version = member_text(object_in(result, "serverInfo"), "version");
    auto waiting = std::exchange(held, {});
    tell("initialized", json::object());
    for (std::string& message : waiting) say(std::move(message));
    for (auto& [file, open] : files) pull(file, open);
    changed.notify_all();
  }
  settings.on_news();
}

void LspServer::Impl::hear_push(const json& params) {
  const fs::path file = path_of_uri(member_text(params, "uri"));
  const std::lock_guard lock(mutex);
  const auto found = files.find(file);
  if (found == files.end()) return;
  const auto of = params.find("version");  // an object: it has a URI
  if (of != params.end() && of->is_number_integer() && of->get<int>() < found->second.version) return;
  found->second.pushed = read_diagnostics(array_in(params, "diagnostics"));
  found->second.heard = Clock::now();
  changed.notify_all();
}

void LspServer::Impl::hear_pull(const RpcMessage& message) {
  const std::lock_guard lock(mutex);
  for (auto& [file, open] : files) {
    if (open.asked != message.ours || !message.body.is_object() || !message.body.contains("items")) continue;
    open.pulled = read_diagnostics(message.body["items"]);
    open.heard = Clock::now();
    changed.notify_all();
  }
}

void LspServer::Impl::answer(const RpcMessage& question) {
  const std::lock_guard lock(mutex);
  if (question.method == "workspace/configuration") {
    const json& items = array_in(question.body, "items");
    link->send({.text = rpc_result(question.id, json(std::max<std::size_t>(items.size(), 1), nullptr))}, {});
  } else if (question.method == "workspace/workspaceFolders") {
    link->send({.text = rpc_result(question.id, json::array({folder()}))}, {});
  } else if (question.method == "client/registerCapability" ||
             question.method == "client/unregisterCapability" ||
             question.method == "window/workDoneProgress/create" ||
             question.method == "window/showMessageRequest") {
    link->send({.text = rpc_result(question.id, nullptr)}, {});
  } else {
    link->send({.text = rpc_failure(question.id, rpc_code::no_method, "tern does not do " + question.method)},
               {});
  }
}

void LspServer::Impl::fail(std::string reason) {
  {
    const std::lock_guard lock(mutex);
    if (phase == LspPhase::failed) return;
    phase = LspPhase::failed;
    why = std::move(reason);
    files.clear();
    held.clear();
    changed.notify_all();
  }
  settings.on_news();
}

// ---------------------------------------------------------------- what is said

void LspServer::Impl::say(std::string message) {
  if (phase == LspPhase::starting) return held.push_back(std::move(message));
  if (phase == LspPhase::ready) link->send({.text = std::move(message)}, {});
}

void LspServer::Impl::pull(const fs::path& file, OpenFile& open) {
  if (!pulls) return;
  open.asked = ++last_id;
  open.pulled.reset();
  say(rpc_request(open.asked, "textDocument/diagnostic", {{"textDocument", {{"uri", file_uri(file)}}}}));
}

void LspServer::Impl::close_oldest() {
  const auto oldest = std::min_element(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return a.second.shown < b.second.shown;
  });
  tell("textDocument/didClose", {{"textDocument", {{"uri", file_uri(oldest->first)}}}});
  files.erase(oldest);
}

bool LspServer::Impl::settled(const OpenFile& open) const {
  if (pulls ? !open.pulled : !open.pushed) return false;
  return Clock::now() >= open.heard + (pulls ? std::chrono::milliseconds(0) : settings.settle);
}

LspServer::LspServer(std::unique_ptr<McpLink> link, Settings settings) : impl_(std::make_unique<Impl>()) {
  impl_->link = std::move(link);
  impl_->settings = std::move(settings);
  impl_->opener = std::thread([impl = impl_.get()] { impl->begin(); });
}

LspServer::~LspServer() {
  impl_->opener.join();
  impl_->link->close();
  impl_->link.reset();  // nothing is heard from here on
}

void LspServer::show(const fs::path& file, std::string text) {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->phase == LspPhase::failed) return;
  const auto found = impl_->files.find(file);
  const bool first = found == impl_->files.end();
  if (!first && found->second.text == text) return;
  if (first && impl_->files.size() == kMostOpen) impl_->close_oldest();
  OpenFile& open = impl_->files[file];
  open.shown = ++impl_->shows;
  open.pushed.reset();
  ++open.version;
  const std::string uri = file_uri(file);
  const auto language = impl_->settings.row.extensions.find(file.extension().string());
  if (first)
    impl_->tell(
        "textDocument/didOpen",
        {{"textDocument",
          {{"uri", uri},
           {"languageId", language == impl_->settings.row.extensions.end() ? "plaintext" : language->second},
           {"version", open.version},
           {"text", text}}}});
  else
    impl_->tell("textDocument/didChange", {{"textDocument", {{"uri", uri}, {"version", open.version}}},
                                           {"contentChanges", {{{"text", text}}}}});
  if (!first) impl_->tell("textDocument/didSave", {{"textDocument", {{"uri", uri}}}});
  open.text = std::move(text);
  if (impl_->phase == LspPhase::ready) impl_->pull(file, open);
}

bool LspServer::shows(const fs::path& file) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->files.contains(file);
}

std::vector<fs::path> LspServer::open_files() const {
  const std::lock_guard lock(impl_->mutex);
  std::vector<fs::path> open;
  for (const auto& [file, state] : impl_->files) open.push_back(file);
  return open;
}

void LspServer::close(const fs::path& file) {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->files.erase(file) == 0) return;
  impl_->tell("textDocument/didClose", {{"textDocument", {{"uri", file_uri(file)}}}});
}

std::optional<std::vector<Diagnostic>> LspServer::wait(const fs::path& file, Clock::time_point until,
                                                       std::stop_token stop) {
  std::unique_lock lock(impl_->mutex);
  while (true) {
    const auto found = impl_->files.find(file);
    if (found == impl_->files.end() || stop.stop_requested()) return std::nullopt;
    const OpenFile& open = found->second;
    if (impl_->settled(open)) {
      auto all = open.pulled.value_or(std::vector<Diagnostic>());
      if (open.pushed)
        for (const Diagnostic& one : *open.pushed)
          if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
      return all;
    }
    const Clock::time_point now = Clock::now();
    if (now >= until) return std::nullopt;
    const bool spoken = open.pushed && !impl_->pulls;
    const Clock::time_point next = spoken ? std::min(until, open.heard + impl_->settings.settle) : until;
    impl_->changed.wait_until(lock, stop, next, [&, heard = open.heard, phase = impl_->phase] {
      const auto again = impl_->files.find(file);
      return again == impl_->files.end() || again->second.heard != heard || impl_->phase != phase ||
             Clock::now() >= next;
    });
  }
}

LspState LspServer::state() const {
  LspState state;
  {
    const std::lock_guard lock(impl_->mutex);
    state = {impl_->phase, impl_->why, impl_->version, {}, impl_->files.size()};
  }
  state.last_words = impl_->link->last_words();
  return state;
}

}  // namespace tern
