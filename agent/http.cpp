#include "agent/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>
#include <unordered_map>

#include "agent/url.h"

namespace tern {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds longest_drain{50};

struct ListFree {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// One transfer, seen from both sides. The network thread owns `easy`; what lies below the mutex is the mailbox between them.
struct Transfer {
  HttpRequest request;
  CURL* easy = nullptr;
  std::unique_ptr<curl_slist, ListFree> headers;
  char error[CURL_ERROR_SIZE] = {};

  std::mutex mutex;
  std::condition_variable_any changed;
  HttpHead head;
  std::string inbox;
  bool connected = false, head_done = false, done = false;
  CURLcode code = CURLE_OK;
};
using TransferPtr = std::shared_ptr<Transfer>;

std::string env(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Where to find certificates. curl the library reads none of these variables by itself.
struct Certificates {
  std::string file = env("SSL_CERT_FILE"), folder = env("SSL_CERT_DIR"), bundle;

  Certificates() {
    if (file.empty()) file = env("CURL_CA_BUNDLE");
    const std::string extra = env("NODE_EXTRA_CA_CERTS");
    if (extra.empty()) return;
    std::string base = file;
#if LIBCURL_VERSION_NUM >= 0x075400
    if (CURL* probe = base.empty() ? curl_easy_init() : nullptr) {
      char* path = nullptr;
      if (curl_easy_getinfo(probe, CURLINFO_CAINFO, &path) == CURLE_OK && path) base = path;
      curl_easy_cleanup(probe);
    }
#endif
    bundle = read_file(base) + "\n" + read_file(extra);
  }
};

std::size_t on_body(char* data, std::size_t, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  {
    std::lock_guard lock(transfer.mutex);
    transfer.inbox.append(data, count);
  }
  transfer.changed.notify_all();
  return count;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

// Header lines of the final answer; interim ones (1xx, a proxy's CONNECT) are begun anew by the next status line.
std::size_t on_header(char* data, std::size_t, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::string_view line = trimmed({data, count});
  std::lock_guard lock(transfer.mutex);
  transfer.connected = true;
  if (line.starts_with("HTTP/")) {
    const auto blank = line.find(' ');
    transfer.head = {};
    transfer.head.status = blank == line.npos ? 0 : std::atoi(std::string(line.substr(blank + 1)).c_str());
  } else if (const auto colon = line.find(':'); colon != line.npos) {
    transfer.head.headers.emplace_back(lower(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  } else if (line.empty() && transfer.head.status >= 200) {
    transfer.head_done = true;
  }
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

// The network thread. Started by the first transfer, joined at exit; asleep without a timer while nothing runs.
class Network {
 public:
  static Network& shared() {
    static Network instance;
    return instance;
  }

  void add(TransferPtr transfer) { command({std::move(transfer), true}); }
  void remove(TransferPtr transfer) { command({std::move(transfer), false}); }
  const Certificates& certificates() const { return certificates_; }

 private:
  struct Command {
    TransferPtr transfer;
    bool add = false;
  };

  Network() {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    certificates_ = Certificates();
    multi_ = curl_multi_init();
    curl_multi_setopt(multi_, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    thread_ = std::thread([this] { run(); });
  }

  ~Network() {
    {
      std::lock_guard lock(mutex_);
      quit_ = true;
    }
    curl_multi_wakeup(multi_);
    thread_.join();
    for (CURL* easy : idle_) curl_easy_cleanup(easy);
    curl_multi_cleanup(multi_);
  }

  void command(Command what) {
    {
      std::lock_guard lock(mutex_);
      commands_.push_back(std::move(what));
    }
    curl_multi_wakeup(multi_);
  }

  void run() {
    while (drain_commands()) {
      int running = 0, left = 0;
      curl_multi_perform(multi_, &running);
      while (CURLMsg* message = curl_multi_info_read(multi_, &left))
        if (message->msg == CURLMSG_DONE) finish(message->easy_handle, message->data.result);
      if (running == 0 && active_.empty())
        curl_multi_poll(multi_, nullptr, 0, 600'000, nullptr);
      else
        curl_multi_poll(multi_, nullptr, 0, 1'000, nullptr);
    }
    while (!active_.empty()) finish(active_.begin()->first, CURLE_ABORTED_BY_CALLBACK);
  }

  bool drain_commands() {
    std::deque<Command> commands;
    {
      std::lock_guard lock(mutex_);
      if (quit_) return false;
      commands.swap(commands_);
    }
    for (Command& next : commands) {
      if (next.add)
        start(next.transfer);
      else if (next.transfer->easy)
        finish(next.transfer->easy, CURLE_ABORTED_BY_CALLBACK);
    }
    return true;
  }

  void start(const TransferPtr& transfer);

  void finish(CURL* easy, CURLcode code) {
    const auto it = active_.find(easy);
    if (it == active_.end()) return;
    const TransferPtr transfer = std::move(it->second);
    active_.erase(it);
    curl_multi_remove_handle(multi_, easy);
    curl_easy_reset(easy);
    if (idle_.size() < 4)
      idle_.push_back(easy);
    else
      curl_easy_cleanup(easy);
    {
      std::lock_guard lock(transfer->mutex);
      transfer->easy = nullptr;
      transfer->code = code, transfer->done = true;
    }
    transfer->changed.notify_all();
  }

  CURL* take_easy() {
    if (idle_.empty()) return curl_easy_init();
    CURL* easy = idle_.back();
    idle_.pop_back();
    return easy;
  }

  Certificates certificates_;
  CURLM* multi_ = nullptr;
  std::thread thread_;
  std::unordered_map<CURL*, TransferPtr> active_;  // network thread only, as are the next
  std::vector<CURL*> idle_;                        // keep their TLS sessions
  std::mutex mutex_;
  std::deque<Command> commands_;
  bool quit_ = false;
};

void set_security(CURL* easy, const Url& url, const Certificates& certificates) {
  const bool local = is_loopback(url.host);
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, local ? "https,http" : "https");
#else
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS, local ? CURLPROTO_HTTPS | CURLPROTO_HTTP : CURLPROTO_HTTPS);
#endif
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);  // a key must not travel on
  curl_easy_setopt(easy, CURLOPT_NETRC, long(CURL_NETRC_IGNORED));
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  if (local) curl_easy_setopt(easy, CURLOPT_PROXY, "");  // else ALL_PROXY would catch a local model
  if (!certificates.file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, certificates.file.c_str());
  if (!certificates.folder.empty()) curl_easy_setopt(easy, CURLOPT_CAPATH, certificates.folder.c_str());
  if (!certificates.bundle.empty()) {
    curl_blob blob{const_cast<char*>(certificates.bundle.data()), certificates.bundle.size(), CURL_BLOB_NOCOPY};
    curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
  }
}

void set_wire(CURL* easy, const TransferPtr& transfer) {
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // a hanging name lookup is left behind, not waited for
#endif
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, long(CURL_HTTP_VERSION_2TLS));
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L * 1024);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, 600L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, 0x3fffffffL);  // our own clock decides
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->error);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer.get());
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer.get());
#if LIBCURL_VERSION_NUM >= 0x075000
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_connected);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer.get());
#endif
}

void set_request(CURL* easy, Transfer& transfer) {
  curl_slist* list = curl_slist_append(nullptr, "Expect:");
  for (const auto& [name, value] : transfer.request.headers) list = curl_slist_append(list, (name + ": " + value).c_str());
  transfer.headers.reset(list);
  curl_easy_setopt(easy, CURLOPT_URL, transfer.request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
  if (transfer.request.method != "POST") return;
  static const std::string nothing;
  const std::string& body = transfer.request.body ? *transfer.request.body : nothing;  // both are lvalues: no copy is pointed to
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.size()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.data());
}

void Network::start(const TransferPtr& transfer) {
  CURL* easy = take_easy();
  transfer->easy = easy;
  set_security(easy, parse_url(transfer->request.url), certificates_);
  set_wire(easy, transfer);
  set_request(easy, *transfer);
  active_[easy] = transfer;
  curl_multi_add_handle(multi_, easy);
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

// The caller's side: hands out what came, keeps the clocks.
class Waiting {
 public:
  Waiting(TransferPtr transfer, const HttpHandlers& handlers, std::stop_token stop)
      : transfer_(std::move(transfer)), handlers_(handlers), stop_(std::move(stop)) {}

  HttpResult run() {
    while (true) {
      std::unique_lock lock(transfer_->mutex);
      transfer_->changed.wait_until(lock, stop_, deadline(), [&] { return news(); });
      if (stop_.stop_requested()) return give_up(std::move(lock), HttpError::cancelled);
      note_connected();
      std::string data = std::exchange(transfer_->inbox, {});
      const bool done = transfer_->done, head_now = !head_given_ && transfer_->head_done && (!data.empty() || done);
      if (head_now || (done && !head_given_)) result_.head = transfer_->head;
      lock.unlock();
      if (head_now) head_given_ = true, handlers_.on_head(result_.head);
      if (!data.empty()) hand_out(data);
      if (next_ == HttpNext::stop) return give_up({}, HttpError::none);
      if (done) return ended();
      if (data.empty())
        if (const auto late = check_clocks()) return give_up({}, *late);
    }
  }

 private:
  bool news() const { return transfer_->done || !transfer_->inbox.empty() || (transfer_->connected && !connected_); }

  void note_connected() {
    if (!transfer_->connected || connected_) return;
    connected_ = true;
    phase_start_ = Clock::now();
  }

  void hand_out(std::string_view data) {
    result_.any_body = true;
    last_byte_ = phase_start_ = Clock::now();
    silences_ = 0;
    if (next_ == HttpNext::more) next_ = handlers_.on_data(data);
  }

  std::pair<milliseconds, HttpError> patience() const {
    const HttpTimeouts& timeouts = transfer_->request.timeouts;
    if (next_ == HttpNext::drain) return {longest_drain, HttpError::none};
    if (!connected_) return {timeouts.connect, HttpError::connect_timeout};
    if (!result_.any_body) return {timeouts.first_byte, HttpError::first_byte_timeout};
    return {timeouts.idle, HttpError::idle_timeout};
  }
  Clock::time_point next_silence() const { return last_byte_ + transfer_->request.timeouts.silence * (silences_ + 1); }
  Clock::time_point deadline() const { return std::min(phase_start_ + patience().first, next_silence()); }

  std::optional<HttpError> check_clocks() {
    const auto now = Clock::now();
    const auto [limit, error] = patience();
    if (now >= phase_start_ + limit) return error;
    if (now >= next_silence()) {
      ++silences_;
      handlers_.on_silence(std::chrono::duration_cast<milliseconds>(now - last_byte_));
    }
    return std::nullopt;
  }

  HttpResult give_up(std::unique_lock<std::mutex> lock, HttpError error) {
    if (lock.owns_lock()) lock.unlock();
    Network::shared().remove(transfer_);
    result_.error = error;
    return std::move(result_);
  }

  HttpResult ended() {
    result_.error = next_ == HttpNext::drain ? HttpError::none : error_of(transfer_->code);
    if (transfer_->code != CURLE_OK)
      result_.detail = transfer_->error[0] ? transfer_->error : curl_easy_strerror(transfer_->code);
    return std::move(result_);
  }

  TransferPtr transfer_;
  const HttpHandlers& handlers_;
  std::stop_token stop_;
  HttpResult result_;
  Clock::time_point phase_start_ = Clock::now(), last_byte_ = phase_start_;
  int silences_ = 0;
  HttpNext next_ = HttpNext::more;
  bool connected_ = false, head_given_ = false;
};

}  // namespace

std::string_view HttpHead::operator[](std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (key == name) return value;
  return {};
}

HttpResult http_stream(const HttpRequest& request, const HttpHandlers& handlers, std::stop_token stop) {
  if (auto why = refusal(request.url); !why.empty()) return {.error = HttpError::refused_url, .detail = why, .head = {}};
  if (stop.stop_requested()) return {.error = HttpError::cancelled, .detail = {}, .head = {}};
  auto transfer = std::make_shared<Transfer>();
  transfer->request = request;
  Network::shared().add(transfer);
  return Waiting(transfer, handlers, std::move(stop)).run();
}

HttpAnswer http_get(const std::string& url, const std::vector<std::pair<std::string, std::string>>& headers,
                    milliseconds patience, std::stop_token stop) {
  HttpRequest request{.method = "GET", .url = url, .headers = headers, .body = nullptr};
  request.timeouts = {.connect = patience, .first_byte = patience, .idle = patience};
  HttpAnswer answer;
  HttpHandlers handlers;
  handlers.on_data = [&](std::string_view data) {
    answer.body += data;
    return answer.body.size() < (1u << 20) ? HttpNext::more : HttpNext::stop;
  };
  answer.result = http_stream(request, handlers, std::move(stop));
  return answer;
}

}  // namespace tern
