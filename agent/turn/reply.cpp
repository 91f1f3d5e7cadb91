#include "agent/turn/reply.h"

#include <algorithm>

#include "compression/values/tool_kinds.h"
#include "tools/exec/process.h"

namespace tern {
namespace {

bool blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

class Gatherer {
 public:
  Gatherer(ModelReply& reply, const std::function<void(Event)>& emit, const std::function<void()>& text_done)
      : reply_(reply), emit_(emit), text_done_(text_done) {}

  void operator()(StreamEvent event) {
    std::visit([this](auto& e) { take(e); }, event);
  }

  void finish(bool stopped) {
    calm();
    reply_.interrupted = stopped || (reply_.failed && reply_.failed->kind == Failure::cancelled);
    if (!blank(text_))
      reply_.blocks.push_back(Text{std::move(text_)});  // cut in the middle: kept as it stood
    std::erase_if(reply_.blocks, [](const Block& block) {
      if (const auto* text = std::get_if<Text>(&block)) return blank(text->text);
      const auto* thought = std::get_if<Thinking>(&block);
      return thought && thought->signature.empty() && thought->text.empty();
    });
  }

 private:
  void take(TextDelta& delta) {
    calm();
    text_ += delta.text;
    emit_(Delta{DeltaKind::text, std::move(delta.text)});
  }
  void take(ThinkingDelta& delta) {
    calm();
    emit_(Delta{DeltaKind::thinking, std::move(delta.text)});
  }
  void take(CallStarted& call) {
    calm();
    if (text_done_) text_done_();
    if (runs_commands(call.name)) warm_supervisor_soon();  // while the arguments still come
  }
  void take(BlockDone& done) {
    calm();
    if (std::holds_alternative<Text>(done.block)) {
      text_.clear();
      if (text_done_) text_done_();
    }
    reply_.blocks.push_back(std::move(done.block));
  }
  void take(UsageReport& report) {
    reply_.usage = report.usage;
    reply_.usage_reported = true;
  }
  void take(Retrying& retrying) {  // the provider starts the answer anew, and charges for it again
    text_.clear();
    if (std::exchange(reply_.usage_reported, false)) {
      const auto usage = std::exchange(reply_.usage, {});
      reply_.wasted.input += usage.input;
      reply_.wasted.output += usage.output;
      reply_.wasted.cache_read += usage.cache_read;
      reply_.wasted.cache_write += usage.cache_write;
      reply_.wasted.long_write += usage.long_write;
    }
    emit_(Waiting{std::move(retrying.why), retrying.wait.count(), retrying.attempt + 1, retrying.attempts});
    waiting_ = true;
  }
  void take(Silence& silence) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(silence.since).count();
    emit_(Waiting{
        "The model has been silent for " + std::to_string(seconds) + " s; still waiting (Esc stops).", 0});
    waiting_ = true;
  }
  void take(Finished& finished) { reply_.reason = finished.reason; }
  void take(Failed& failed) { reply_.failed = std::move(failed); }

  void calm() {
    if (!std::exchange(waiting_, false)) return;
    emit_(Waiting{});
  }

  ModelReply& reply_;
  const std::function<void(Event)>& emit_;
  const std::function<void()>& text_done_;
  std::string text_;
  bool waiting_ = false;
};

}  // namespace

std::vector<ToolCall> ModelReply::calls() const {
  std::vector<ToolCall> calls;
  for (const auto& block : blocks)
    if (const auto* call = std::get_if<ToolCall>(&block)) calls.push_back(*call);
  return calls;
}

std::string ModelReply::text() const {
  std::string all;
  for (const auto& block : blocks)
    if (const auto* text = std::get_if<Text>(&block)) all += text->text;
  return all;
}

ModelReply ask(Provider& provider, const Request& request, const std::function<void(Event)>& emit,
               std::stop_token stop, const std::function<void()>& text_done) {
  ModelReply reply;
  Gatherer gather(reply, emit, text_done);
  provider.stream(
      request, [&](StreamEvent event) { gather(std::move(event)); }, stop);
  gather.finish(stop.stop_requested());
  return reply;
}

}  // namespace tern
