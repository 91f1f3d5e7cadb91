#include "agent/models/http.h"

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <thread>
#include <unordered_map>

#include "agent/models/certificates.h"
#include "agent/models/curl_functions.h"
#include "agent/models/http_transfer.h"
#include "agent/models/public_address.h"
#include "agent/models/trickle.h"
#include "agent/models/url.h"
#include "compression/text/plain_text.h"

namespace tern {
namespace {

using std::chrono::milliseconds;

CurlFunctions curl;  // written once, by the network thread, before it does anything else

struct ListFree {
  void operator()(curl_slist* list) const { curl.slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, ListFree>;

// What the network thread keeps of a running transfer.
struct Active {
  TransferPtr transfer;
  HeaderList headers;
  char error[CURL_ERROR_SIZE] = {};
};

// Where this curl looks for certificates by itself; empty when it does not say.
std::string built_in_certificates() {
  std::string path;
#if LIBCURL_VERSION_NUM >= 0x075400
  CURL* probe = curl.easy_init();
  char* said = nullptr;
  if (probe && curl.easy_getinfo(probe, CURLINFO_CAINFO, &said) == CURLE_OK && said) path = said;
  if (probe) curl.easy_cleanup(probe);
#endif
  return path;
}

constexpr std::size_t kFullInbox = 1u << 20;

// Both belong to the network thread.
Trickle trickle;
std::vector<Transfer*> heard;  // with something in `unread`

// An answer comes in many small chunks. Its reader is told once for all that one reading brought, not once
// for each chunk.
void hand_over_heard() {
  for (Transfer* transfer : heard) {
    {
      const std::lock_guard lock(transfer->mutex);
      transfer->inbox += transfer->unread;
    }
    transfer->unread.clear();
    transfer->changed.notify_all();
  }
  heard.clear();
}

std::size_t on_body(char* data, std::size_t, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  {
    const std::lock_guard lock(transfer.mutex);
    transfer.held = transfer.inbox.size() + transfer.unread.size() > kFullInbox;
    if (transfer.held) return CURL_WRITEFUNC_PAUSE;
  }
  if (transfer.unread.empty()) heard.push_back(&transfer);
  transfer.unread.append(data, count);
  trickle.read(count);
  return count;
}

std::size_t on_header(char* data, std::size_t, std::size_t count, void* user) {
  take_header_line(*static_cast<Transfer*>(user), trimmed({data, count}));
  return count;
}

int on_connected(void* user, char*, char*, int, int) {
  auto& transfer = *static_cast<Transfer*>(user);
  {
    std::lock_guard lock(transfer.mutex);
    transfer.connected = true;
  }
  transfer.changed.notify_all();
  return 0;  // CURL_PREREQFUNC_OK
}

HttpError error_of(CURLcode code) {
  switch (code) {
    case CURLE_OK: return HttpError::none;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY: return HttpError::lookup;
    case CURLE_COULDNT_CONNECT: return HttpError::connect;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER: return HttpError::tls;
    default: return HttpError::broken;
  }
}

// The network thread. Started by the first provider, joined by http_stop(), at exit at the latest; asleep
// while nothing runs.
class Network {
 public:
  static Network& shared() {
    static Network instance;
    return instance;
  }
  static void stop_started() {
    if (started_) shared().stop();
  }

  enum class Wish { add, resume, remove };
  void wish(TransferPtr transfer, Wish what) { command({std::move(transfer), what}); }

 private:
  struct Command {
    TransferPtr transfer;
    Wish wish = Wish::add;
  };

  Network() : thread_([this] { run(); }) { started_ = true; }

  ~Network() { stop(); }

  void stop() {
    if (!thread_.joinable()) return;
    {
      std::lock_guard lock(mutex_);
      quit_ = true;
      wake();  // under the lock: once the thread sees quit_, the multi is gone
    }
    thread_.join();
    multi_ = nullptr;
  }

  // Before curl is loaded there is nothing to wake: the thread looks at its commands before it first sleeps.
  void wake() {
    if (CURLM* multi = multi_.load()) curl.multi_wakeup(multi);
    told_.notify_all();
  }

  void command(Command what) {
    {
      std::lock_guard lock(mutex_);
      commands_.push_back(std::move(what));
    }
    wake();
  }

  void run() {
    loaded_ = curl.load();
    if (!loaded_) return refuse_all();
    // OpenSSL cleans up by an exit handler, which curl has just registered. One registered later runs
    // earlier, so the connections are closed while OpenSSL still stands.
    std::atexit([] { shared().stop(); });
    CURLM* multi = curl.multi_init();
    curl.multi_setopt(multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    multi_ = multi;
    while (drain_commands()) {
      int running = 0, left = 0;
      curl.multi_perform(multi, &running);
      hand_over_heard();
      while (CURLMsg* message = curl.multi_info_read(multi, &left))
        if (message->msg == CURLMSG_DONE) finish(message->easy_handle, message->data.result);
      if (const milliseconds pause = trickle.pause(std::chrono::steady_clock::now()); pause.count() > 0)
        wait_for_commands(pause);
      curl.multi_poll(multi, nullptr, 0, active_.empty() ? 600'000 : 1'000, nullptr);
    }
    while (!active_.empty()) finish(active_.begin()->first, CURLE_ABORTED_BY_CALLBACK);
    for (CURL* easy : idle_) curl.easy_cleanup(easy);
    curl.multi_cleanup(multi);
  }

  void wait_for_commands(milliseconds most) {
    std::unique_lock lock(mutex_);
    told_.wait_for(lock, most, [this] { return quit_ || !commands_.empty(); });
  }

  // Without curl each transfer ends at once with a reason, until the program does.
  void refuse_all() {
    std::unique_lock lock(mutex_);
    while (!quit_) {
      for (Command& command : std::exchange(commands_, {})) {
        if (command.wish != Wish::add) continue;
        std::lock_guard inner(command.transfer->mutex);
        command.transfer->error = HttpError::refused_url;
        command.transfer->detail = "libcurl.so.4 is missing on this machine: install libcurl";
        command.transfer->done = true;
        command.transfer->changed.notify_all();
      }
      told_.wait(lock, [this] { return quit_ || !commands_.empty(); });
    }
  }

  bool drain_commands() {
    std::deque<Command> commands;
    {
      std::lock_guard lock(mutex_);
      if (quit_) return false;
      commands.swap(commands_);
    }
    for (Command& next : commands) {
      if (next.wish == Wish::add)
        start(next.transfer);
      else if (next.transfer->handle && next.wish == Wish::resume)
        curl.easy_pause(next.transfer->handle, CURLPAUSE_CONT);
      else if (next.transfer->handle)
        finish(static_cast<CURL*>(next.transfer->handle), CURLE_ABORTED_BY_CALLBACK);
    }
    return true;
  }

  void start(const TransferPtr& transfer);

  void finish(CURL* easy, CURLcode code) {
    const auto it = active_.find(easy);
    if (it == active_.end()) return;
    const std::unique_ptr<Active> active = std::move(it->second);
    active_.erase(it);
    curl.multi_remove_handle(multi_.load(), easy);
    curl.easy_reset(easy);
    if (idle_.size() < 4)
      idle_.push_back(easy);
    else
      curl.easy_cleanup(easy);
    Transfer& transfer = *active->transfer;
    std::erase(heard, &transfer);
    {
      std::lock_guard lock(transfer.mutex);
      transfer.handle = nullptr;
      transfer.error = error_of(code);
      if (code != CURLE_OK) transfer.detail = active->error[0] ? active->error : curl.easy_strerror(code);
      if (code != CURLE_OK && transfer.not_public)
        transfer.detail = "its address is of this machine or a private network";
      transfer.done = true;
    }
    transfer.changed.notify_all();
  }

  CURL* take_easy() {
    if (idle_.empty()) return curl.easy_init();
    CURL* easy = idle_.back();
    idle_.pop_back();
    return easy;
  }

  static inline std::atomic<bool> started_{false};
  // Read for the first transfer that needs them: a model on this machine does not wait for half a megabyte of
  // PEM.
  std::optional<Certificates> certificates_;  // network thread only, as are the next three
  std::unordered_map<CURL*, std::unique_ptr<Active>> active_;
  std::vector<CURL*> idle_;  // keep their TLS sessions
  bool loaded_ = false;
  std::atomic<CURLM*> multi_{nullptr};
  std::mutex mutex_;
  std::condition_variable told_;
  std::deque<Command> commands_;
  bool quit_ = false;
  std::thread thread_;  // last: it uses all of the above
};

void set_certificates(CURL* easy, const Certificates& certificates) {
  if (!certificates.file.empty()) curl.easy_setopt(easy, CURLOPT_CAINFO, certificates.file.c_str());
  if (!certificates.folder.empty()) curl.easy_setopt(easy, CURLOPT_CAPATH, certificates.folder.c_str());
  if (certificates.bundle.empty()) return;
  curl_blob blob{const_cast<char*>(certificates.bundle.data()), certificates.bundle.size(), CURL_BLOB_NOCOPY};
  curl.easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
}

void set_security(CURL* easy, const Url& url) {
  const bool local = is_loopback(url.host);
#if LIBCURL_VERSION_NUM >= 0x075500
  curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, local ? "https,http" : "https");
#else
  curl.easy_setopt(easy, CURLOPT_PROTOCOLS, local ? CURLPROTO_HTTPS | CURLPROTO_HTTP : CURLPROTO_HTTPS);
#endif
  curl.easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);  // a key must not travel on
  curl.easy_setopt(easy, CURLOPT_NETRC, long(CURL_NETRC_IGNORED));
  curl.easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  curl.easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  if (local) curl.easy_setopt(easy, CURLOPT_PROXY, "");  // else ALL_PROXY would catch a local model
}

void set_wire(CURL* easy, Active& active) {
  Transfer* transfer = active.transfer.get();
  curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
  curl.easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // a hanging name lookup is left behind, not waited for
#endif
  curl.easy_setopt(easy, CURLOPT_HTTP_VERSION, long(CURL_HTTP_VERSION_2TLS));
  curl.easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  curl.easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L * 1024);
  curl.easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl.easy_setopt(easy, CURLOPT_MAXAGE_CONN, 600L);
  curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, 0x3fffffffL);  // our own clock decides
  curl.easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);    // a proxy's head is not the answer's
  curl.easy_setopt(easy, CURLOPT_ERRORBUFFER, active.error);
  curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl.easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
  curl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl.easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
#if LIBCURL_VERSION_NUM >= 0x075000
  curl.easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_connected);
  curl.easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
#endif
}

// The address that is really connected to: a name that means something else the second time changes nothing.
curl_socket_t open_within_reach(void* user, curlsocktype, curl_sockaddr* address) {
  auto* transfer = static_cast<Transfer*>(user);
  if (!transfer->request.may_reach(address->addr)) {
    transfer->not_public = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Through a proxy the names are its own to resolve; then nothing may go around it.
void set_reach(CURL* easy, Transfer& transfer) {
  if (!transfer.request.may_reach) return;
  curl.easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, 0L);  // the name is looked up as its owner wants it now
  curl.easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);  // one that is open already may lead where others may go
  curl.easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
  if (uses_proxy()) return void(curl.easy_setopt(easy, CURLOPT_NOPROXY, ""));
  curl.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_within_reach);
  curl.easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &transfer);
}

void set_request(CURL* easy, Active& active) {
  const Transfer& transfer = *active.transfer;
  curl_slist* list = curl.slist_append(nullptr, "Expect:");
  for (const auto& [name, value] : transfer.request.headers)  // curl takes "name:" for a wish to leave it out
    list = curl.slist_append(list, (name + (value.empty() ? ";" : ": " + value)).c_str());
  active.headers.reset(list);
  curl.easy_setopt(easy, CURLOPT_URL, transfer.request.url.c_str());
  curl.easy_setopt(easy, CURLOPT_HTTPHEADER, list);
  const std::string& method = transfer.request.method;
  if (method != "POST" && method != "GET") curl.easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
  if (method != "POST") return;
  static const std::string nothing;
  const std::string& body =
      transfer.request.body ? *transfer.request.body : nothing;  // both are lvalues: no copy is pointed to
  curl.easy_setopt(easy, CURLOPT_POST, 1L);
  curl.easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.size()));
  curl.easy_setopt(easy, CURLOPT_POSTFIELDS, body.data());
}

void Network::start(const TransferPtr& transfer) {
  CURL* easy = take_easy();
  transfer->handle = easy;
  auto active = std::make_unique<Active>();
  active->transfer = transfer;
  const auto url = parse_url(transfer->request.url);
  set_security(easy, url);
  if (url.scheme != "http") {
    if (!certificates_) certificates_.emplace(certificates_from_environment(built_in_certificates));
    set_certificates(easy, *certificates_);
  }
  set_wire(easy, *active);
  set_request(easy, *active);
  set_reach(easy, *transfer);
  active_[easy] = std::move(active);
  curl.multi_add_handle(multi_.load(), easy);
}

}  // namespace

void http_warm() { Network::shared(); }
void http_stop() { Network::stop_started(); }
void network_add(TransferPtr transfer) { Network::shared().wish(std::move(transfer), Network::Wish::add); }
void network_resume(TransferPtr transfer) {
  Network::shared().wish(std::move(transfer), Network::Wish::resume);
}
void network_remove(TransferPtr transfer) {
  Network::shared().wish(std::move(transfer), Network::Wish::remove);
}

}  // namespace tern
