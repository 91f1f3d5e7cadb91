#include "agent/models/http_provider.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <random>

#include "agent/models/redact.h"
#include "agent/models/sse.h"
#include "agent/models/url.h"

namespace tern {
namespace {

using std::chrono::milliseconds;

constexpr int impatient_attempts = 3, refused_attempts = 3;
constexpr milliseconds impatient_wait{20'000};

bool wait_really(milliseconds time, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

double random_really() {
  thread_local std::minstd_rand engine{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(engine);
}

std::chrono::sys_seconds now_really() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

std::string place(const std::string& url) {
  const Url parts = parse_url(url);
  return parts.host + (parts.port ? ":" + std::to_string(parts.port) : "");
}

std::string seconds(milliseconds time) { return std::to_string(time.count() / 1000) + " s"; }

// In curl's words of several versions: an answer to CONNECT that asking again does not change.
bool proxy_refuses(const std::string& why) {
  if (why.find("CONNECT tunnel failed") == why.npos && why.find("from proxy after CONNECT") == why.npos)
    return false;
  return why.find(" 403") != why.npos || why.find(" 407") != why.npos || why.find(" 405") != why.npos;
}

// A key must not travel on by itself, and asking again changes nothing.
RequestError moved(const HttpHead& head, const HttpRequest& request) {
  const std::string to = redact_shapes(std::string(head["location"]).substr(0, 200));
  return {.kind = Failure::bad_request,
          .message = "HTTP " + std::to_string(head.status) + ": " + place(request.url) + " redirects to " +
                     (to.empty() ? "another address" : to) +
                     " — set the provider's base URL to where it really is",
          .http_status = head.status};
}

RequestError network_trouble(const HttpResult& result, const HttpRequest& request) {
  const std::string where = place(request.url), why = redact_shapes(result.detail);
  const bool local = is_loopback(parse_url(request.url).host);
  switch (result.error) {
    case HttpError::refused_url: return {.kind = Failure::bad_request, .message = why};
    case HttpError::tls:
      return {.kind = Failure::network,
              .message = "no secure connection to " + where + ": " + why +
                         " — check the clock, or SSL_CERT_FILE behind a proxy"};
    case HttpError::lookup:
      return {.kind = Failure::network,
              .message = "cannot find " + where + " — check the network",
              .retry = true};
    case HttpError::connect:
      return {.kind = Failure::network,
              .message =
                  local ? "nothing answers at " + where + " — start the server, or name another with /model"
                        : "cannot reach " + where + ": " + why + " — check network and proxy",
              .retry = true,
              .refused = local};
    case HttpError::connect_timeout:
      return {.kind = Failure::timeout,
              .message = "no connection to " + where + " within " + seconds(request.timeouts.connect),
              .retry = true};
    case HttpError::first_byte_timeout:
      return {.kind = Failure::timeout,
              .message = where + " sent nothing for " + seconds(request.timeouts.first_byte),
              .retry = true};
    case HttpError::idle_timeout:
      return {.kind = Failure::timeout,
              .message = where + " stopped sending for " + seconds(request.timeouts.idle) + " in mid-answer",
              .retry = true};
    default:
      if (proxy_refuses(why))
        return {
            .kind = Failure::network,
            .message = "the proxy can't reach " + where + ": " + why + " — check https_proxy and no_proxy"};
      return {.kind = Failure::network,
              .message = "the connection to " + where + " broke: " + why,
              .retry = true};
  }
}

// One answer as it comes: events when it is a stream, a text to explain when it is not.
class Answer {
 public:
  Answer(const Codec& codec, const Request& request, const Sink& sink, const RunOptions& options)
      : key_from_(options.key_from),
        key_wanted_(options.key_wanted),
        out_(sink, codec.hold(), request.may_call_tools),
        decoder_(codec.decoder(request)),
        parser_(codec.lines() ? SseParser::Form::lines : SseParser::Form::events),
        lines_(codec.lines()) {}

  void head(const HttpHead& head) {
    ok_ = head.status >= 200 && head.status < 300;
    const std::string_view type = head["content-type"];
    plain_ = !ok_ || type.find("text/html") != type.npos ||
             (!lines_ && type.find("application/json") != type.npos);
  }

  HttpNext data(std::string_view chunk) {
    if (plain_ && ok_ && text_.empty() && !chunk.empty())
      plain_ =
          chunk.find_first_of("{[<") == chunk.find_first_not_of(" \r\n");  // else a stream by a wrong name
    if (plain_) {
      text_ += chunk.substr(0, (64u << 10) - std::min<std::size_t>(text_.size(), 64u << 10));
      return HttpNext::more;
    }
    parser_.feed(chunk, [this](std::string_view name, std::string_view data) {
      decode_event(*decoder_, name, data, out_);
    });
    out_.flush();
    if (parser_.broken())
      out_.fail({.kind = Failure::protocol,
                 .message = "an event of the stream is larger than 16 MB",
                 .retry = true});
    if (out_.trouble()) return HttpNext::stop;
    return out_.finished() ? HttpNext::drain : HttpNext::more;
  }

  void end(const HttpResult& result, const HttpRequest& request, std::chrono::sys_seconds now) {
    if (closed()) return;
    if (result.error != HttpError::none) return out_.fail(network_trouble(result, request));
    const HttpHead& head = result.head;
    const auto id = head["request-id"].empty() ? head["x-request-id"] : head["request-id"];
    if (head.status >= 300 && head.status < 400) return out_.fail(moved(head, request));
    if (plain_ || !ok_)
      return out_.fail(request_error_of({.status = ok_ ? 0 : head.status,
                                         .body = text_,
                                         .retry_after = head["retry-after"],
                                         .retry_after_ms = head["retry-after-ms"],
                                         .request_id = id,
                                         .key_from = key_from_,
                                         .key_wanted = key_wanted_,
                                         .now = now}));
    decoder_->end(out_);
    if (!closed())
      out_.fail({.kind = Failure::network, .message = "the answer ended too early", .retry = true});
  }

  StreamOut& out() { return out_; }

 private:
  bool closed() const { return out_.finished() || out_.trouble(); }

  std::string_view key_from_, key_wanted_;
  StreamOut out_;
  std::unique_ptr<Decoder> decoder_;
  SseParser parser_;
  bool lines_, ok_ = true, plain_ = false;
  std::string text_;
};

bool any_call(const std::vector<Block>& blocks) {
  return std::any_of(blocks.begin(), blocks.end(),
                     [](const Block& block) { return std::holds_alternative<ToolCall>(block); });
}

bool is_thought(const Block& block) {
  const auto* call = std::get_if<ToolCall>(&block);
  return std::holds_alternative<Thinking>(block) || (call && !call->signature.empty());
}

std::uint64_t last_thought(const Conversation& conversation) {
  std::uint64_t last = 0;
  for (const ItemPtr& item : conversation.items)
    if (std::any_of(item->blocks.begin(), item->blocks.end(), is_thought))
      last = std::max(last, item->id.value);
  return last;
}

Failed failed(const RequestError& trouble, int attempts) {
  std::string message = trouble.message;
  if (attempts > 1) message += " (" + std::to_string(attempts) + " tries)";
  return {.kind = trouble.kind,
          .message = redact(std::move(message)),
          .limit = trouble.limit,
          .asked = trouble.asked,
          .http_status = trouble.http_status,
          .attachments = trouble.attachments};
}

}  // namespace

bool Backoff::may_try_again(const RequestError& trouble) {
  ++attempt_;
  const int most = impatient_ ? std::min(options_.attempts, impatient_attempts) : options_.attempts;
  if (!trouble.retry || attempt_ >= most) return false;
  if (trouble.kind == Failure::timeout && ++stalls_ > (impatient_ ? 0 : 1)) return false;
  if (trouble.kind == Failure::protocol && ++unreadable_ >= options_.attempts_unreadable) return false;
  return !trouble.refused || ++refused_ < refused_attempts;
}

int Backoff::most(const RequestError& trouble) const {
  const int most = impatient_ ? std::min(options_.attempts, impatient_attempts) : options_.attempts;
  if (trouble.kind == Failure::timeout) return std::min(most, impatient_ ? 1 : 2);
  if (trouble.kind == Failure::protocol) return std::min(most, options_.attempts_unreadable);
  return trouble.refused ? std::min(most, refused_attempts) : most;
}

milliseconds Backoff::wait(const RequestError& trouble) const {
  if (trouble.wait)
    return milliseconds(std::int64_t(double(trouble.wait->count()) * (1 + 0.1 * options_.random())));
  const bool broke = trouble.kind == Failure::network || trouble.kind == Failure::protocol;
  const auto base = broke ? options_.base / 2 : options_.base;
  const auto most = std::min<milliseconds>(options_.cap, base * (1 << std::min(attempt_ - 1, 10)));
  return milliseconds(std::int64_t(double(most.count()) * options_.random()));
}

std::optional<milliseconds> Backoff::next(const RequestError& trouble) {
  if (!may_try_again(trouble)) return std::nullopt;
  const auto time = wait(trouble);
  if (impatient_ && time > impatient_wait) return std::nullopt;
  return time;
}

HttpProvider::HttpProvider(std::unique_ptr<Codec> codec, RunOptions options)
    : codec_(std::move(codec)), options_(std::move(options)) {
  if (!options_.wait) options_.wait = wait_really;
  if (!options_.random) options_.random = random_really;
  if (!options_.now) options_.now = now_really;
  http_warm();
}

void HttpProvider::stream(const Request& request, const Sink& sink, std::stop_token stop) {
  Request wish = request;
  Backoff backoff(options_, request.has_fallback);
  while (true) {
    Attempt result = attempt(wish, sink, stop);
    if (result.cancelled) return sink(Failed{.kind = Failure::cancelled, .message = "cancelled"});
    if (result.finished) return sink(Finished{*result.finished});
    if (!result.given.empty())
      return sink(Finished{any_call(result.given) ? StopReason::tools : StopReason::cut});
    const RequestError& trouble = *result.trouble;
    if (trouble.fitting_output >= 512 && trouble.fitting_output < wish.max_output) {
      wish.max_output = trouble.fitting_output;
      wish.thinking = wish.thinking < wish.max_output ? wish.thinking : 0;
      continue;
    }
    if (learns(trouble, wish)) continue;
    const auto wait = backoff.next(trouble);
    if (!wait) return sink(failed(trouble, backoff.attempt()));
    sink(Retrying{.why = trouble.message,
                  .wait = *wait,
                  .attempt = backoff.attempt(),
                  .attempts = backoff.most(trouble)});
    if (!options_.wait(*wait, stop)) return sink(Failed{.kind = Failure::cancelled, .message = "cancelled"});
  }
}

HttpProvider::Attempt HttpProvider::attempt(const Request& request, const Sink& sink, std::stop_token stop) {
  HttpRequest call{.url = codec_->url(request),
                   .headers = codec_->headers(request),
                   .body = make_body(request),
                   .timeouts = options_.timeouts};
  Answer answer(*codec_, request, sink, options_);
  HttpHandlers handlers;
  handlers.on_head = [&](const HttpHead& head) { answer.head(head); };
  handlers.on_data = [&](std::string_view data) { return answer.data(data); };
  handlers.on_silence = [&](milliseconds since) { sink(Silence{since}); };
  const HttpResult result = http_stream(call, handlers, stop);
  if (result.error == HttpError::cancelled) return {.cancelled = true};
  answer.end(result, call, options_.now());
  return {
      .finished = answer.out().finished(), .trouble = answer.out().trouble(), .given = answer.out().given()};
}

std::shared_ptr<const std::string> HttpProvider::make_body(const Request& request) {
  std::unique_ptr<std::string> text;
  {
    const std::lock_guard lock(spare_->mutex);
    text = std::move(spare_->text);
  }
  if (!text) text = std::make_unique<std::string>();
  text->clear();
  cache_.begin();
  codec_->body(request, cache_, *text);
  return std::shared_ptr<std::string>(text.release(), [spare = spare_](std::string* done) {
    const std::lock_guard lock(spare->mutex);
    spare->text.reset(done);
  });
}

std::string HttpProvider::body(const Request& request) { return *make_body(request); }

// After a refused thought the rest is sent without those there are: what is thought from then on fits again.
// Services without a tool search say so in many ways, so any refusal of a body with one is taken for that.
bool HttpProvider::learns(const RequestError& trouble, const Request& request) {
  const Allowances before = allowed_;
  if (trouble.thoughts == ThoughtTrouble::field) allowed_.binds = false;
  if (trouble.thoughts == ThoughtTrouble::thought)
    allowed_.after = std::max(before.after, last_thought(request.conversation));
  if (trouble.kind == Failure::bad_request && trouble.thoughts == ThoughtTrouble::none &&
      codec_->searches(request))
    allowed_.search = false;
  codec_->allow(allowed_);
  return allowed_.after != before.after || allowed_.binds != before.binds || allowed_.search != before.search;
}

}  // namespace tern
