// A dialect of the wire, pure: request → body, event → stream events. HttpProvider runs it (http, retries,
// clocks). One decoder per attempt, called through decode_event(). Decoders never emit Failed for what the
// wire says wrongly: they call fail().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/models/errors.h"
#include "agent/models/provider.h"
#include "agent/models/wire.h"

namespace tern {

using Headers = std::vector<std::pair<std::string, std::string>>;

// What a decoder writes to. Adjacent deltas are merged until something else comes or the network chunk ends.
// Whole thoughts are held back until a text or call after them is whole (or the message ends), so that an
// attempt may be repeated as long as nothing was given that counts. `hold` holds everything back until the
// end (see Codec::hold); without `calls` a call is dropped: some servers are not told "no tools", because
// that would cost them their cached prefix.
class StreamOut {
 public:
  explicit StreamOut(Sink sink, bool hold = false, bool calls = true)
      : sink_(std::move(sink)), hold_(hold), calls_(calls) {}
  void text(std::string_view more);
  void thinking(std::string_view more);
  void emit(StreamEvent event);
  void flush();
  void finish(StopReason reason);   // the message is whole
  void fail(RequestError trouble);  // the server said no, or nonsense
  const std::vector<Block>& given() const { return given_; }
  const std::optional<StopReason>& finished() const { return finished_; }
  const std::optional<RequestError>& trouble() const { return trouble_; }

 private:
  void release();

  Sink sink_;
  bool hold_, calls_;
  std::string text_, thinking_;
  std::vector<Block> held_, given_;  // whole ones
  std::optional<StopReason> finished_;
  std::optional<RequestError> trouble_;
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual void event(std::string_view name, std::string_view data, StreamOut& out) = 0;
  // The connection ended in order. For dialects whose last event is optional; the others leave it, which
  // means "cut".
  virtual void end(StreamOut&) {}
};

// One event to the decoder; a field of a type nobody expects ends the stream as malformed. The one catch of
// the codecs.
void decode_event(Decoder& decoder, std::string_view name, std::string_view data, StreamOut& out);

// What a service has refused. HttpProvider learns it; the bodies that follow keep to it.
struct Allowances {
  std::uint64_t after = 0;  // of items up to this one no thought is sent
  bool binds = true;        // false: it does not know the field that has it drop thoughts that do not fit
  bool search = true;       // false: it has no tool search of its own
  bool of(const Item& item) const { return item.id.value > after; }
};

class Codec {
 public:
  virtual ~Codec() = default;
  virtual void allow(const Allowances& allowed) { allowed_ = allowed; }
  virtual std::string url(const Request& request) const = 0;
  virtual Headers headers(const Request& request) const = 0;
  virtual void body(const Request& request, FragmentCache& cache, std::string& out) const = 0;
  virtual std::unique_ptr<Decoder> decoder(const Request& request) const = 0;
  virtual bool lines() const { return false; }  // one JSON object per line instead of events
  // The server may have cut the prompt without a word and says so only at the end: no block counts before
  // that.
  virtual bool hold() const { return false; }
  // The body speaks the service's own form of tool search, which it may refuse.
  virtual bool searches(const Request&) const { return false; }

 protected:
  // Whether a body uses the service's own tool search: not elsewhere than at `host` unless the user says so,
  // since others may drop what they do not know without a word.
  bool searches_itself(const Request& request, const ProviderConfig& config, std::string_view host,
                       bool model_has_it) const;
  // The name of the form (FragmentCache::form) of a body that leaves some thoughts out.
  std::string form(std::string_view family) const;
  Allowances allowed_;
};

// Recognises a delta that differs from the last one only in its text, and takes that text out without parsing
// the rest: same bytes before, one JSON string, same bytes after. Learnt from a parsed event, so it is right
// by construction. With `counters` runs of digits outside the text may differ, too: sequence numbers and
// times, where no digit matters.
class DeltaTemplate {
 public:
  explicit DeltaTemplate(bool counters = false) : counters_(counters) {}
  // `data` was parsed and held exactly `text` as the value of `key` ("text"); looks where it stands.
  void learn(std::string_view data, std::string_view key, std::string_view text);
  bool match(std::string_view data, std::string& text) const;

 private:
  // How much of `data` the pattern covers from its start; npos when it does not.
  std::size_t covers(std::string_view pattern, std::string_view data) const;

  bool counters_;
  std::string before_, after_;
};

// The system prompt; with the wish for JSON in words, for dialects that have no field for it beside tools.
std::string system_text(const Request& request, bool schema_in_words);
// The headers of a JSON request whose key is a bearer token; `accept` may be empty.
Headers bearer_headers(const ProviderConfig& config, std::string_view accept);
// "tools":[…], as OpenAI and its like want them, with the comma; empty when there are none. `nested` is the
// chat form.
std::string function_tools(const Request& request, bool nested);
// One of them as responses takes it; `more` stands before its closing brace.
std::string function_tool(const ToolSpec& tool, std::string_view more = {});
// Tools named by calls in the conversation: some servers refuse a history of calls without definitions.
std::vector<std::string> tools_in_history(const Conversation& conversation);
bool is_blank(std::string_view text);
bool is_whole_json(std::string_view text);  // empty counts: "no arguments"
// A signature with the mark of the dialect that gave it, so that it only ever goes back there.
std::string mark_signature(std::string_view dialect, std::string_view signature);
std::string_view own_signature(std::string_view dialect,
                               std::string_view marked);  // empty when it is another's
// A result is never sent empty.
std::string_view result_text(const ToolResult& result);
RequestError malformed(std::string_view what);  // the stream says something unreadable: try again

constexpr std::size_t longest_arguments = 8u << 20;

}  // namespace tern
