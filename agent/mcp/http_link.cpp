#include "agent/mcp/http_link.h"

#include <strings.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "agent/mcp/oauth_metadata.h"
#include "agent/mcp/rpc.h"
#include "agent/models/http.h"
#include "agent/models/redact.h"
#include "agent/models/sse.h"
#include "agent/models/wire.h"

namespace tern {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kLargestError = 8u << 10, kEnd = 256;
constexpr milliseconds kFarewell{700}, kAside{250};
constexpr int kMostResumed = 8, kMostFailures = 5;
constexpr milliseconds kShortPause{500}, kLongestPause{30'000}, kLongestSilence = std::chrono::minutes(15);

bool plain_value(std::string_view text) {
  const bool blanks = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  return !blanks && std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// One answer as it comes: a message, or a stream of them.
struct Reply {
  explicit Reply(const LinkEvents& to, std::function<bool()> answer = nullptr)
      : events(to), answered(std::move(answer)) {}

  void head(const HttpHead& head) {
    refused = head.status >= 300;
    stream = !refused && head["content-type"].find("text/event-stream") != std::string_view::npos;
    if (stream && on_stream) on_stream();
  }
  HttpNext data(std::string_view chunk) {
    if (refused) {
      body += chunk.substr(0, kLargestError - std::min(kLargestError, body.size()));
      return body.size() < kLargestError ? HttpNext::more : HttpNext::drain;
    }
    if (!stream) {
      if (body.size() + chunk.size() > largest_message) return oversized(chunk);
      body += chunk;
      return HttpNext::more;
    }
    parser.feed(chunk, [this](std::string_view, std::string_view text) {
      if (text.size() > largest_message)
        return events.on_oversized(text.substr(0, kEnd), text.substr(text.size() - kEnd));
      if (!text.empty()) events.on_message(std::string(text));
    });
    if (parser.broken()) return oversized({});
    return answered && answered() ? HttpNext::drain
                                  : HttpNext::more;  // some keep a stream open behind its answer
  }
  HttpNext oversized(std::string_view chunk) {
    events.on_oversized(std::string_view(body).substr(0, kEnd),
                        chunk.substr(chunk.size() - std::min(kEnd, chunk.size())));
    body = {};
    return HttpNext::stop;
  }

  const LinkEvents& events;
  std::function<bool()> answered;  // what is waited for has come; null: it is listened to
  SseParser parser{SseParser::Form::events, largest_message};
  std::string body;
  bool stream = false, refused = false;
  std::function<void()> on_stream;
};

}  // namespace

struct HttpLink::State {
  std::string url;
  NamedTexts headers;
  milliseconds patience;
  std::shared_ptr<McpTokens> tokens;  // null where the entry's own headers say who we are
  LinkEvents events;
  std::stop_source closing;

  MoreHeaders more;       // null: the entry's own are all
  std::mutex more_mutex;  // while they are asked for; guards the next two
  bool has_more = false;  // they were asked for …
  std::string without;    // … and why there are none

  std::mutex mutex;  // guards all below, and `headers`
  std::string session, version;
  bool modern = false, wants_sign_in = false;

  HttpRequest request_for(const char* method, const Outgoing& message, const std::string& token);
  HttpResult run(const HttpRequest& request, Reply& reply, std::stop_token stop);
  std::string judge(const Outgoing& message, const HttpResult& result, Reply& reply);
  bool pause(milliseconds length, std::stop_token stop);
  static milliseconds wanted_pause(const Reply& reply, milliseconds otherwise);
  bool resume(const Outgoing& message, const Reply& cut, std::stop_token stop);
  void give_up(const Outgoing& message, const std::string& token);
  std::string ask_for_headers(bool anew, std::stop_token stop);
  bool knows_better(const HttpResult& refused, const std::string& token, std::stop_token stop);
};

HttpRequest HttpLink::State::request_for(const char* method, const Outgoing& message,
                                         const std::string& token) {
  HttpRequest request;
  request.method = method;
  request.url = url;
  {
    const std::lock_guard lock(mutex);
    request.headers = headers;
  }
  if (!token.empty()) request.headers.emplace_back("Authorization", "Bearer " + token);
  request.headers.emplace_back("Accept", "application/json, text/event-stream");
  request.timeouts = {
      .connect = std::min(patience, milliseconds(10'000)), .first_byte = patience, .idle = patience};
  if (!message.text.empty()) {
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = std::make_shared<const std::string>(message.text);
  }
  const std::lock_guard lock(mutex);
  const bool new_era = modern || message.method == "server/discover";
  if (!session.empty()) request.headers.emplace_back("MCP-Session-Id", session);
  if (!version.empty() || new_era)
    request.headers.emplace_back("MCP-Protocol-Version", new_era ? "2026-07-28" : version);
  if (new_era && !message.method.empty()) request.headers.emplace_back("Mcp-Method", message.method);
  if (new_era && !message.name.empty())
    request.headers.emplace_back("Mcp-Name", mcp_header_value(message.name));
  for (const auto& [name, value] : message.headers)
    request.headers.emplace_back(name, mcp_header_value(value));
  return request;
}

// Empty, or why the request cannot be sent.
std::string HttpLink::State::ask_for_headers(bool anew, std::stop_token stop) {
  if (!more) return {};
  const std::lock_guard alone(more_mutex);
  if (has_more && !anew) return without;
  std::stop_source either;
  const auto end = [&either] { either.request_stop(); };
  const std::stop_callback by_call(stop, end), by_link(closing.get_token(), end);
  NamedTexts all;
  {
    const std::lock_guard lock(mutex);
    all = headers;
  }
  without = more(all, either.get_token());
  has_more = !either.stop_requested();
  const std::lock_guard lock(mutex);
  if (without.empty()) headers = std::move(all);
  return without;
}

// Whether there is another token now, or other headers.
bool HttpLink::State::knows_better(const HttpResult& refused, const std::string& token,
                                   std::stop_token stop) {
  if (more) return ask_for_headers(true, stop).empty();
  return tokens && tokens->refused(refused.head.status, refused.head["www-authenticate"], token, stop);
}

// Ends with the call or with the link, whichever is first.
HttpResult HttpLink::State::run(const HttpRequest& request, Reply& reply, std::stop_token stop) {
  std::stop_source either;
  const auto end = [&either] { either.request_stop(); };
  const std::stop_callback by_call(stop, end), by_link(closing.get_token(), end);
  HttpHandlers handlers;
  handlers.on_head = [&reply](const HttpHead& head) { reply.head(head); };
  handlers.on_data = [&reply](std::string_view chunk) { return reply.data(chunk); };
  return http_stream(request, handlers, either.get_token());
}

// A refusal becomes an answer to the request, in the server's words when it is one.
std::string HttpLink::State::judge(const Outgoing& message, const HttpResult& result, Reply& reply) {
  const int status = result.head.status;
  if (result.error != HttpError::none)
    return redact_shapes(result.detail.empty() ? "the connection broke" : result.detail);
  if (status >= 200 && status < 300) {
    if (!reply.stream && message.wants_answer && !reply.body.empty())
      events.on_message(std::move(reply.body));
    return message.wants_answer && !message.answered() ? "the server ended its answer without a result" : "";
  }
  if (!message.wants_answer) return "HTTP " + std::to_string(status);
  RpcMessage said = read_rpc(reply.body);
  const bool scope =
      status == 403 && read_challenge(result.head["www-authenticate"]).error == "insufficient_scope";
  if (status == 401 || scope) {
    said.error.message = scope ? "the sign-in does not cover this. Sign in again: /mcp login NAME"
                               : "it needs a sign-in: /mcp login NAME, or a token in its \"headers\"";
    const std::lock_guard lock(mutex);
    wants_sign_in = true;
  } else if (status == 403 && said.kind != RpcKind::error)
    said.error.message = "it denied access (HTTP 403)";
  else if (said.kind != RpcKind::error)
    said.error.message = "HTTP " + std::to_string(status);
  nlohmann::json answer{{"jsonrpc", "2.0"}, {"id", message.id}};
  answer["error"] = {{"code", said.error.code}, {"message", said.error.message}, {"data", said.error.data}};
  events.on_message(one_line(answer));
  const std::lock_guard lock(mutex);
  if (status == 404 && !session.empty()) {
    session.clear();
    events.on_end("its session has expired");
  }
  return {};
}

// False: it was stopped.
bool HttpLink::State::pause(milliseconds length, std::stop_token stop) {
  std::stop_source either;
  const auto end = [&either] { either.request_stop(); };
  const std::stop_callback by_call(stop, end), by_link(closing.get_token(), end);
  std::mutex alone;
  std::unique_lock lock(alone);
  std::condition_variable_any().wait_for(lock, either.get_token(), length, [] { return false; });
  return !either.stop_requested();
}

// How long a server wants to be left alone before its stream is taken up again.
milliseconds HttpLink::State::wanted_pause(const Reply& reply, milliseconds otherwise) {
  return reply.parser.retry() < 0 ? otherwise : std::min(milliseconds(reply.parser.retry()), kLongestPause);
}

// The old era: a stream that broke is taken up again after the last event that was seen. The call itself is
// never repeated.
bool HttpLink::State::resume(const Outgoing& message, const Reply& cut, std::stop_token stop) {
  std::string last(cut.parser.last_id());
  milliseconds wait = wanted_pause(cut, milliseconds(0));
  for (int tries = 0; tries < kMostResumed && !message.answered() && pause(wait, stop); ++tries) {
    HttpRequest request = request_for("GET", {}, tokens ? tokens->token(stop) : std::string());
    request.headers.emplace_back("Last-Event-ID", last);
    Reply reply(events, message.answered);
    const HttpResult result = run(request, reply, stop);
    if (result.head.status != 200) break;
    if (!reply.parser.last_id().empty()) last = std::string(reply.parser.last_id());
    wait = wanted_pause(reply, std::max(wait, kShortPause));
  }
  return message.answered();
}

// In the new era the end of its stream says it; in the old one a stream may end for any reason.
void HttpLink::State::give_up(const Outgoing& message, const std::string& token) {
  {
    const std::lock_guard lock(mutex);
    if (modern || version.empty() || !message.wants_answer) return;
  }
  Outgoing out;
  out.text = rpc_notification("notifications/cancelled",
                              {{"requestId", message.id}, {"reason", "cancelled by the user"}});
  HttpRequest request = request_for("POST", out, token);
  request.timeouts = {.connect = kAside, .first_byte = kAside, .idle = kAside};  // a person waits for it
  http_stream(request, {}, closing.get_token());
}

void HttpLink::listen(std::stop_token stop, const std::function<void()>& open) {
  State& s = *state_;
  std::string last;
  milliseconds wait{0};
  for (int failures = 0; failures < kMostFailures && s.pause(wait, stop);) {
    HttpRequest request = s.request_for("GET", {}, s.tokens ? s.tokens->token(stop) : std::string());
    if (!last.empty()) request.headers.emplace_back("Last-Event-ID", last);
    request.timeouts.first_byte = request.timeouts.idle = kLongestSilence;
    Reply reply(s.events);
    reply.on_stream = open;
    const HttpResult result = s.run(request, reply, stop);
    if (result.head.status >= 300) return;  // 405: it has nothing to say unasked
    failures = result.head.status == 200 && reply.stream ? 0 : failures + 1;
    if (!reply.parser.last_id().empty()) last = std::string(reply.parser.last_id());
    wait = State::wanted_pause(reply, kShortPause * (failures + 2));
  }
}

HttpLink::HttpLink(std::string url, NamedTexts headers, milliseconds patience,
                   std::shared_ptr<McpTokens> tokens)
    : state_(std::make_unique<State>()) {
  state_->url = std::move(url);
  state_->headers = std::move(headers);
  state_->patience = patience;
  const auto is_own = [](const auto& header) {
    return ::strcasecmp(header.first.c_str(), "authorization") == 0;
  };
  if (std::none_of(state_->headers.begin(), state_->headers.end(), is_own))
    state_->tokens = std::move(tokens);
}

void HttpLink::set_more_headers(MoreHeaders more) {
  state_->more = std::move(more);
  state_->tokens = nullptr;
}

HttpLink::~HttpLink() {
  close();
  if (state_->session.empty()) return;
  HttpRequest request =
      state_->request_for("DELETE", {}, state_->tokens ? state_->tokens->token({}) : std::string());
  request.timeouts = {.connect = kFarewell, .first_byte = kFarewell, .idle = kFarewell};
  http_stream(request, {}, {});
}

std::string HttpLink::open(LinkEvents events) {
  state_->events = std::move(events);
  return {};
}

std::string HttpLink::send(const Outgoing& message, std::stop_token stop) {
  State& s = *state_;
  if (message.method == "notifications/cancelled") return {};  // give_up() has said it
  if (std::string why = s.ask_for_headers(false, stop); !why.empty()) return why;
  std::string token = s.tokens ? s.tokens->token(stop) : std::string();
  Reply reply(s.events, message.wants_answer ? message.answered : nullptr);
  HttpResult result = s.run(s.request_for("POST", message, token), reply, stop);
  const int status = result.head.status;
  if ((status == 401 || status == 403) && s.knows_better(result, token, stop)) {
    reply.body.clear();  // it was not carried out, so it may be sent again: once
    token = s.tokens ? s.tokens->token(stop) : std::string();
    result = s.run(s.request_for("POST", message, token), reply, stop);
  }
  if (message.method == "initialize") {
    const std::lock_guard lock(s.mutex);
    s.session = std::string(result.head["mcp-session-id"]);
  }
  if (stop.stop_requested()) {
    s.give_up(message, token);
    return "cancelled";
  }
  const bool cut =
      message.wants_answer && reply.stream && !message.answered() && !reply.parser.last_id().empty();
  if (cut && s.resume(message, reply, stop)) return {};
  return s.judge(message, result, reply);
}

void HttpLink::close() { state_->closing.request_stop(); }

bool HttpLink::wants_sign_in() const {
  const std::lock_guard lock(state_->mutex);
  return state_->wants_sign_in;
}

void HttpLink::settled(std::string_view version, bool modern) {
  const std::lock_guard lock(state_->mutex);
  state_->version = std::string(version);
  state_->modern = modern;
}

std::string mcp_header_value(std::string_view text) {
  if (plain_value(text)) return std::string(text);
  std::string value = "=?base64?";
  append_base64(value, text);
  return value + "?=";
}

}  // namespace tern
