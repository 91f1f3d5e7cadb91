// The caller's side of a transfer: waits, hands out what came, keeps the clocks. Knows nothing of curl.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "agent/models/http.h"
#include "agent/models/http_transfer.h"
#include "agent/models/url.h"
#include "compression/text/plain_text.h"

namespace tern {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds longest_drain{50};

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
      const bool held = std::exchange(transfer_->held, false);
      const bool done = transfer_->done, head_now = !head_given_ && transfer_->head_done;
      if (head_now || (done && !head_given_)) result_.head = transfer_->head;
      lock.unlock();
      if (held) network_resume(transfer_);
      if (head_now) head_given_ = true, handlers_.on_head(result_.head);
      if (!data.empty()) hand_out(data);
      if (next_ == HttpNext::stop) return give_up({}, HttpError::none);
      if (done) return ended();
      if (data.empty())
        if (const auto late = check_clocks()) return give_up({}, *late);
    }
  }

 private:
  bool news() const {
    return transfer_->done || !transfer_->inbox.empty() || (transfer_->connected && !connected_) ||
           (transfer_->head_done && !head_given_);
  }

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
  Clock::time_point next_silence() const {
    return last_byte_ + transfer_->request.timeouts.silence * (silences_ + 1);
  }
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
    network_remove(transfer_);
    result_.error = error;
    return std::move(result_);
  }

  HttpResult ended() {
    result_.error = next_ == HttpNext::drain ? HttpError::none : transfer_->error;
    result_.detail = transfer_->detail;
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

void take_header_line(Transfer& transfer, std::string_view line) {
  std::lock_guard lock(transfer.mutex);
  transfer.connected = true;
  if (line.starts_with("HTTP/")) {
    const auto blank = line.find(' ');
    transfer.head = {};
    transfer.head_done = false;
    transfer.head.status = blank == line.npos ? 0 : std::atoi(std::string(line.substr(blank + 1)).c_str());
  } else if (const auto colon = line.find(':'); colon != line.npos) {
    transfer.head.headers.emplace_back(lowered(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  } else if (line.empty() && transfer.head.status >= 200) {
    transfer.head_done = true;
    transfer.changed.notify_all();
  }
}

HttpResult http_stream(const HttpRequest& request, const HttpHandlers& handlers, std::stop_token stop) {
  if (auto why = refusal(request.url); !why.empty())
    return {.error = HttpError::refused_url, .detail = why, .head = {}};
  if (request.may_reach && is_private_name(parse_url(request.url).host))
    return {.error = HttpError::refused_url,
            .detail = parse_url(request.url).host + " is this machine or a private network",
            .head = {}};
  if (stop.stop_requested()) return {.error = HttpError::cancelled, .detail = {}, .head = {}};
  auto transfer = std::make_shared<Transfer>();
  transfer->request = request;
  network_add(transfer);
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
