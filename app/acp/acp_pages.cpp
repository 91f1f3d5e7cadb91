#include "app/acp/acp_pages.h"

#include <algorithm>

#include "app/acp/acp_json.h"
#include "compression/text/figures.h"

namespace tern {
namespace {

std::string markdown(const Page& page) {
  const auto title = page.title.empty() ? std::string() : "**" + page.title + "**\n\n";
  if (page.form == Page::Form::markdown) return title + page.text;
  return title + fenced(page.text, page.form == Page::Form::diffs ? "diff" : "");
}

std::string markdown(const ContextReport& report) {
  const auto& meters = report.meters;
  const auto limit = std::max<Tokens>(meters.limit, 1);
  auto text = "**Context** " + std::to_string(meters.used * 100 / limit) + "% of " + thousands(limit) +
              " tokens · " + meters.model + "\n\n";
  std::string rows;
  for (const auto& part : meters.parts)
    if (part.tokens > 0) rows += part.name + "  " + thousands(part.tokens) + "\n";
  for (const auto* lines : {&report.tiers, &report.top, &report.lines}) {
    if (!lines->empty()) rows += "\n";
    for (const auto& line : *lines) rows += line + "\n";
  }
  return text + fenced(rows);
}

std::string markdown(const ListShown& list) {
  if (list.rows.empty()) return list.empty;
  std::string rows;
  for (const auto& row : list.rows)
    rows += row.id + "  " + row.text + (row.note.empty() ? "" : "  " + row.note) + "\n";
  return "**" + list.title + "**\n\n" + fenced(rows);
}

std::string markdown(const PreviewReady& preview) { return preview.draft; }

}  // namespace

bool has_page(const Event& event) {
  return std::holds_alternative<Page>(event) || std::holds_alternative<ContextReport>(event) ||
         std::holds_alternative<ListShown>(event) || std::holds_alternative<PreviewReady>(event);
}

std::string page_text(const Event& event) {
  if (const auto* page = std::get_if<Page>(&event)) return markdown(*page);
  if (const auto* report = std::get_if<ContextReport>(&event)) return markdown(*report);
  if (const auto* list = std::get_if<ListShown>(&event)) return markdown(*list);
  if (const auto* preview = std::get_if<PreviewReady>(&event)) return markdown(*preview);
  return {};
}

}  // namespace tern
