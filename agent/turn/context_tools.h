// What the tools ask of the agent: originals for Recall, and the four context_* tools. They act on the same
// state as the person's commands; the answers are plain text for the model.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "agent/turn/agent.h"
#include "tools/files/journal.h"

namespace tern {

std::string answer_recall(const LogStore& store, const RecallQuery& query);

// Takes JSON text of changed keys, answers what changed or what is wrong with it.
using Configure = std::function<std::string(const std::string& json)>;
std::string answer_context(Agent& agent, const ContextQuery& query, const Configure& configure);

// Before a request: the compaction that the model asked for with context_compress.
void compact_if_due(Agent& agent, std::stop_token stop);

std::string context_status_text(const Agent& agent);
std::string summaries_text(const Store& store, std::size_t newest);  // of compactions that wrote one
std::string audit_text(const Store& store);  // what became of each specific at the newest of them
std::string compaction_log_text(const AccountStore& store);
// Before-images of the tools' changes, kept in the store; a turn is the id of its user item.
JournalStore journal_store(RowStore& store);

}  // namespace tern
