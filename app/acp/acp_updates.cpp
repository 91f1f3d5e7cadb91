#include "app/acp/acp_updates.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "app/acp/acp_json.h"
#include "app/acp/acp_pages.h"
#include "compression/text/figures.h"
#include "compression/text/lines.h"
#include "compression/values/blocks.h"

namespace tern {
namespace {

using nlohmann::json;

json plan_entry(std::string_view line) {
  json entry;
  entry["priority"] = "medium";
  entry["status"] = take(line, "☒ ") ? "completed" : take(line, "◐ ") ? "in_progress" : "pending";
  take(line, "☐ ");
  entry["content"] = std::string(line);
  return entry;
}

// Pictures behind a result are its own; its call is told anew with them.
std::vector<json> picture_updates(const Item& item) {
  std::vector<json> updates;
  const ToolResult* result = nullptr;
  for (const auto& block : item.blocks) {
    if (const auto* next = std::get_if<ToolResult>(&block)) result = next;
    const auto* image = std::get_if<Image>(&block);
    if (!image || !result) continue;
    if (updates.empty() || updates.back()["toolCallId"] != result->call_id) {
      auto update = acp_update("tool_call_update");
      update["toolCallId"] = result->call_id;
      update["content"].push_back(acp_part(fenced(result->text)));
      updates.push_back(std::move(update));
    }
    json part;
    part["type"] = "content";
    part["content"] = acp_image(*image);
    updates.back()["content"].push_back(std::move(part));
  }
  return updates;
}

// For people: what a compression did to the context.
std::string account_of(const Compaction& event) {
  auto text = std::string(to_string(event.tier)) + ": " + thousands(event.before) + " → " +
              thousands(event.after) + " tokens.";
  if (event.originals > 0)
    text += " " + counted(static_cast<std::int64_t>(event.originals), "original") +
            " kept, /recall brings them back.";
  if (!event.audit.empty()) text += " " + event.audit;
  return text;
}

}  // namespace

json acp_plan(const Todos& todos) {
  auto update = acp_update("plan");
  update["entries"] = json::array();
  for (const auto& line : todos.lines) update["entries"].push_back(plan_entry(line));
  return update;
}

AcpUpdates::AcpUpdates(World world) : world_(std::move(world)), calls_(world_.cwd, world_.send, world_.now) {}

void AcpUpdates::chunk(const char* kind, std::string_view text) {
  if (text.empty()) return;
  auto update = acp_update(kind);
  update["content"] = acp_text(text);
  update["messageId"] = "m" + std::to_string(message_);
  world_.send(update);
}

void AcpUpdates::tell(const Event& event) {
  if (const auto* delta = std::get_if<Delta>(&event)) {
    const bool text = delta->kind == DeltaKind::text;
    streamed_ |= text;
    chunk(text ? "agent_message_chunk" : "agent_thought_chunk", delta->text);
  } else if (const auto* item = std::get_if<ItemAdded>(&event)) {
    if (item->replayed) return;
    if (item->item->role == Role::assistant) added(*item->item);
    for (const auto& update : picture_updates(*item->item)) world_.send(update);
  } else if (const auto* started = std::get_if<ToolStarted>(&event)) {
    if (!started->replayed) calls_.started(*started);
  } else if (const auto* progress = std::get_if<ToolProgress>(&event)) {
    calls_.progressed(*progress);
  } else if (const auto* finished = std::get_if<ToolFinished>(&event)) {
    if (!finished->replayed) calls_.finished(*finished);
  } else if (const auto* todos = std::get_if<Todos>(&event)) {
    if (planned_ || !todos->lines.empty()) world_.send(acp_plan(*todos));
    planned_ = !todos->lines.empty();
  } else if (const auto* compressed = std::get_if<Compaction>(&event)) {
    compaction(*compressed);
  } else if (const auto* told = std::get_if<Notice>(&event)) {
    notice(*told);
  } else if (const auto* waiting = std::get_if<Waiting>(&event); waiting && waiting->attempt > 0) {
    if (std::exchange(streamed_, false)) ++message_;  // what came of it is void
    notice({Level::info, waiting->text + " · " + retry_text(*waiting, waiting->until_ms)});
  }
}

// What was streamed is known already; a call is announced before it is asked about.
void AcpUpdates::added(const Item& item) {
  for (const auto& block : item.blocks) {
    if (const auto* text = std::get_if<Text>(&block); text && !streamed_)
      chunk("agent_message_chunk", text->text);
    if (const auto* call = std::get_if<ToolCall>(&block)) calls_.announced(*call);
  }
  streamed_ = false;
  ++message_;
}

void AcpUpdates::replay(const Event& event) {
  if (const auto* started = std::get_if<ToolStarted>(&event)) return calls_.started(*started);
  if (const auto* finished = std::get_if<ToolFinished>(&event)) {
    calls_.finished(*finished);
    if (const auto found = pictures_.extract(finished->call_id)) world_.send(found.mapped());
    return;
  }
  if (const auto* compressed = std::get_if<Compaction>(&event); compressed && world_.abilities.compactions)
    return compaction(*compressed);
  const auto* added = std::get_if<ItemAdded>(&event);
  if (!added) return;
  const auto& item = *added->item;
  if (item.role == Role::user) return user_said(item);
  for (const auto& block : item.blocks) {
    if (const auto* text = std::get_if<Text>(&block)) chunk("agent_message_chunk", text->text);
    if (const auto* thought = std::get_if<Thinking>(&block)) chunk("agent_thought_chunk", thought->text);
  }
  ++message_;
}

void AcpUpdates::user_said(const Item& item) {
  for (auto& update : picture_updates(item)) {  // the call itself comes next
    const std::string id = update["toolCallId"];
    pictures_.emplace(id, std::move(update));
  }
  if (item.synthetic || has<ToolResult>(item)) return;
  for (const auto& block : item.blocks) {
    if (const auto* text = std::get_if<Text>(&block)) chunk("user_message_chunk", text->text);
    const auto* image = std::get_if<Image>(&block);
    if (!image) continue;
    auto update = acp_update("user_message_chunk");
    update["content"] = acp_image(*image);
    update["messageId"] = "m" + std::to_string(message_);
    world_.send(update);
  }
  ++message_;
}

// One that somebody waits for has a beginning; a quick one is told as a whole.
void AcpUpdates::compaction(const Compaction& event) {
  using Phase = CompactionPhase;
  const bool begins = event.phase == Phase::started, failed = event.phase == Phase::failed;
  if (!begins && !failed && event.phase != Phase::completed) return;
  if (!world_.abilities.compactions) {
    if (event.phase == Phase::completed) notice({Level::info, "Context compacted. " + account_of(event)});
    return;
  }
  auto update = acp_update("compaction_update");
  if (!compacting_) ++compaction_;
  const auto id = "c" + std::to_string(compaction_);
  update["compactionId"] = id;
  if (begins || (!compacting_ && !failed)) {
    update["status"] = "in_progress";
    world_.send(update);
  }
  compacting_ = begins;
  if (begins) return;
  if (failed) {
    update["status"] = "failed";
    update["error"] = event.why;
    return world_.send(update);
  }
  auto summary = world_.summary(event.batch);
  if (!summary.empty()) summary += "\n\n";
  auto part = acp_update("compaction_summary_chunk");
  part["compactionId"] = id;
  part["content"] = acp_text(summary + account_of(event));
  world_.send(part);
  update["status"] = "completed";
  world_.send(update);
}

// Where there is no channel for them, only what went wrong becomes part of the conversation.
void AcpUpdates::notice(const Notice& notice) {
  if (world_.abilities.notices) {
    auto update = acp_update("notice");
    const auto end = notice.text.find('\n');
    update["severity"] = notice.level == Level::error     ? "error"
                         : notice.level == Level::warning ? "warning"
                                                          : "info";
    update["title"] = notice.text.substr(0, end);
    if (end != std::string::npos) update["description"] = notice.text.substr(end + 1);
    if (!notice.text.empty()) world_.send(update);
  } else if (notice.level != Level::info) {
    chunk("agent_message_chunk", "\n" + notice.text + "\n\n");
  }
}

bool AcpUpdates::is_answer(const Event& event) {
  return std::holds_alternative<Notice>(event) || has_page(event);
}

void AcpUpdates::answer(const Event& event) {
  const auto* notice = std::get_if<Notice>(&event);
  chunk("agent_message_chunk", (notice ? notice->text : page_text(event)) + "\n\n");
}

void AcpUpdates::usage(const Meters& meters) {
  auto update = acp_update("usage_update");
  update["used"] = meters.used;
  update["size"] = meters.window;
  if (meters.dollars_known) {
    update["cost"]["amount"] = meters.dollars;
    update["cost"]["currency"] = "USD";
  }
  world_.send(update);
}

}  // namespace tern
