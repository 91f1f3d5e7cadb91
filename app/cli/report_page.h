// A session as one page of HTML that needs no network: the conversation, the window over time, what each
// compaction did, the cost by source. Pure. Every text of the session is escaped, and the page itself forbids
// scripts and connections.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/protocol/event.h"
#include "agent/store/store_types.h"

namespace tern {

struct ReportFacts {
  std::string id, name, model, version, written;  // written: when, in words
  std::vector<Event> conversation;                // as the screen is replayed
  std::vector<CompactionRecord> compactions;      // oldest first
  std::vector<UsageRow> requests;                 // the same
  Tokens limit = 0;                               // what shares are of; 0 = not known
  double micro_at = 0, compact_at = 0, truncate_at = 0;
};
std::string report_page(const ReportFacts& facts);
std::string html_text(std::string_view raw);  // valid UTF-8, with nothing left that HTML could read

}  // namespace tern
