// The summaries as files, for people and other programs: summaries.json (all of them) and summaries/NNNN.md
// (front matter, summary, index, audit). Made whenever one was added, taken back or put back;
// never read again by tern.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/store/store_types.h"

namespace tern {

// Empty, or why it could not be written. An empty folder means nothing is kept on disk.
std::string export_summaries(const std::vector<NumberedSummary>& all, const std::filesystem::path& folder,
                             std::size_t key_point_chars);

std::string summaries_json(const std::vector<NumberedSummary>& summaries, std::size_t key_point_chars);
std::string summary_markdown(const NumberedSummary& summary);
// 2026-11-18T09:05:33Z
std::string iso_time(TimePoint when);

}  // namespace tern
