#include "compression/reading/summary_text.h"

#include <algorithm>
#include <string>

#include "compression/text/plain_text.h"

namespace tern {

std::string_view told_part(std::string_view summary) {
  const auto opening = summary.find("\n\n");
  if (opening != summary.npos) summary.remove_prefix(opening + 2);
  for (const auto heading : {said_heading, kept_heading, index_heading})
    summary = summary.substr(0, summary.rfind("\n\n" + std::string(heading)));
  return trimmed(summary);
}

std::string_view kept_part(std::string_view summary) {
  auto at = summary.rfind(kept_heading);
  if (at == summary.npos) return {};
  at = std::min(at + kept_heading.size() + 1, summary.size());
  const auto index = summary.find("\n\n" + std::string(index_heading), at);
  return summary.substr(at, index == summary.npos ? index : index - at);
}

}  // namespace tern
