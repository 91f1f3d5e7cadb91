#include "agent/mcp/oauth_store.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "agent/extend/entry_approvals.h"
#include "agent/mcp/rpc.h"
#include "tools/set/args.h"
#include "tools/workspace/private_file.h"

namespace tern {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kLockTries = 1'500, kLockPause = 20;  // ms: half a minute, longer than a refresh may take

// Held from its making to its end; !held() when another has it for too long.
class FileLock {
 public:
  FileLock(const fs::path& file, std::stop_token stop) {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    fd_ = ::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    for (int i = 0; fd_ >= 0 && i < kLockTries && !stop.stop_requested(); ++i) {
      held_ = ::flock(fd_, LOCK_EX | LOCK_NB) == 0;
      if (held_) return;
      ::poll(nullptr, 0, kLockPause);
    }
  }
  ~FileLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  bool held() const { return held_; }

 private:
  int fd_ = -1;
  bool held_ = false;
};

json read_file(const fs::path& file) {
  if (file.empty() || !is_private_file(file)) return json::object();
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  json root = nests_too_deep(text) ? json() : json::parse(text, nullptr, false);
  return root.is_object() ? root : json::object();
}

json member(const json& object, const std::string& name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_object() ? *found : json::object();
}

}  // namespace

fs::path default_tokens_file() { return approvals_file("mcp-tokens.json"); }

OAuthTokens OAuthStore::load(const std::string& server_url) const {
  const json root = read_file(file_), server = member(member(root, "servers"), server_url);
  OAuthTokens tokens;
  tokens.issuer = member_text(server, "issuer");
  tokens.scope = member_text(server, "scope");
  const json kept = member(member(member(root, "issuers"), tokens.issuer), server_url);
  tokens.resource = member_text(kept, "resource");
  tokens.token_endpoint = member_text(kept, "token_endpoint");
  tokens.client_id = member_text(kept, "client_id");
  tokens.client_secret = member_text(kept, "client_secret");
  tokens.token_method = member_text(kept, "token_method");
  tokens.access = member_text(kept, "access_token");
  tokens.refresh = member_text(kept, "refresh_token");
  tokens.expires = whole_number(kept.value("expires", json()), 0);
  return tokens;
}

std::string OAuthStore::save(const std::string& server_url, const OAuthTokens& tokens) const {
  const json before = read_file(file_);
  const json all = member(before, "issuers");
  json servers = member(before, "servers"), issuers = json::object();
  for (const auto& [issuer, kept] : all.items()) {
    json others = kept.is_object() ? kept : json::object();
    others.erase(server_url);
    if (!others.empty()) issuers[issuer] = std::move(others);
  }
  servers.erase(server_url);
  if (!tokens.access.empty() || !tokens.scope.empty())
    servers[server_url] = {{"issuer", tokens.issuer}, {"scope", tokens.scope}};
  if (!tokens.access.empty())
    issuers[tokens.issuer][server_url] = {
        {"resource", tokens.resource},         {"token_endpoint", tokens.token_endpoint},
        {"client_id", tokens.client_id},       {"client_secret", tokens.client_secret},
        {"token_method", tokens.token_method}, {"access_token", tokens.access},
        {"refresh_token", tokens.refresh},     {"expires", tokens.expires}};
  const json root{{"servers", std::move(servers)}, {"issuers", std::move(issuers)}};
  return write_private_file(file_, root.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

std::string OAuthStore::change(const std::string& server_url, const std::function<void(OAuthTokens&)>& change,
                               std::stop_token stop) {
  if (file_.empty()) return "there is no home folder to keep it in";
  const FileLock lock(file_.string() + ".lock", stop);
  if (!lock.held()) return "another tern is busy with " + file_.string();
  OAuthTokens tokens = load(server_url);
  change(tokens);
  return save(server_url, tokens);
}

}  // namespace tern
