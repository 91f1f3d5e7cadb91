#include "app/cli/report_page.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "agent/protocol/local_time.h"
#include "agent/store/window_history.h"
#include "app/cli/report_chart.h"
#include "compression/text/figures.h"
#include "tools/exec/output_ring.h"
#include "ui/text/markdown_html.h"

namespace tern {
namespace {

constexpr std::string_view style = R"(
:root{color-scheme:light dark;--bg:#fff;--fg:#1c1f24;--dim:#68707c;--line:#dfe3e8;--tint:#f1f3f5;
--accent:#0b6e8a;--bad:#b3261e;--good:#2b7a3d;--warn:#8a5a00;
--kind-system:#1f5fbf;--kind-tools:#7a3ea8;--kind-memory:#8a4b08;--kind-user:#0b6e82;
--kind-assistant:#1a7035;--kind-results:#b08a1e;--kind-summaries:#3fa58a}
@media(prefers-color-scheme:dark){:root{--bg:#16181d;--fg:#d8dee9;--dim:#8a93a1;--line:#2c3139;--tint:#23272f;
--accent:#7fc8d8;--bad:#f07178;--good:#8fc98f;--warn:#e0b35a;
--kind-system:#8ab4f8;--kind-tools:#c9a0e8;--kind-memory:#e0b88a;--kind-user:#7fc8d8;
--kind-assistant:#8fd694;--kind-results:#e5c462;--kind-summaries:#9cdcc4}}
*{box-sizing:border-box}body{margin:0 auto;max-width:60rem;padding:2rem 1rem;background:var(--bg);
color:var(--fg);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:2.5rem 0 .5rem;border-bottom:1px solid var(--line)}
p.dim,.dim{color:var(--dim)}pre{font:13px/1.45 ui-monospace,monospace;white-space:pre-wrap;
overflow-wrap:anywhere;margin:.3rem 0}
.you{background:var(--tint);border-left:3px solid var(--accent);padding:.5rem .8rem;margin:1.2rem 0;
white-space:pre-wrap;overflow-wrap:anywhere}
.answer{overflow-wrap:anywhere;margin:.8rem 0}
.answer h3,.answer h4,.answer h5,.answer h6{margin:1.2rem 0 .4rem;font-size:1rem}
.answer h3{font-size:1.15rem}.answer pre{background:var(--tint);padding:.6rem .8rem}
.answer code{font:13px/1.45 ui-monospace,monospace;background:var(--tint)}
.answer table{width:auto}
.answer td.c,.answer th.c{text-align:center}.answer a{color:var(--accent)}
.answer hr{border:0;border-top:1px solid var(--line)}
.answer blockquote{margin:.5rem 0;padding-left:.8rem;border-left:3px solid var(--line);color:var(--dim)}
details{margin:.3rem 0;border-left:1px solid var(--line);padding-left:.8rem}summary{cursor:pointer;
overflow-wrap:anywhere}
summary.failed{color:var(--bad)}summary.folded{color:var(--accent)}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.25rem .8rem .25rem 0;
border-bottom:1px solid var(--line);vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}svg{width:100%;height:auto;display:block}
.table{overflow-x:auto}.legend span{margin-right:1.2em;white-space:nowrap}
.legend i{display:inline-block;width:.8em;height:.8em;margin-right:.4em}
)";

std::string element(std::string_view name, std::string_view text, std::string_view attributes = "") {
  std::string out = "<" + std::string(name);
  if (!attributes.empty()) out += " " + std::string(attributes);
  return out + ">" + html_text(text) + "</" + std::string(name) + ">";
}

std::string dollars_text(double dollars) { return money(dollars); }

std::string_view did(Tier tier) {
  static constexpr std::string_view names[] = {"compacted", "shortened", "results folded", "compacted",
                                               "truncated"};
  return names[static_cast<std::size_t>(tier)];
}

std::string unfolded(std::string_view head, std::string_view body, std::string_view kind) {
  const std::string mark = kind.empty() ? std::string() : "class=\"" + std::string(kind) + "\"";
  return "<details>" + element("summary", head, mark) + element("pre", body) + "</details>\n";
}

// What a model wrote.
std::string written(std::string_view markdown) {
  return "<div class=\"answer\">" + markdown_html(valid_utf8(std::string(markdown)), html_text) + "</div>\n";
}

struct PageWriter {
  std::string html;

  void operator()(const ItemAdded& added) {
    const Item& item = *added.item;
    for (const Block& block : item.blocks) {
      if (const auto* summary = std::get_if<Summary>(&block))
        html += "<details><summary class=\"folded\">◇ Summary of what came before</summary>" +
                written(summary->text) + "</details>\n";
      const auto* said = std::get_if<Text>(&block);
      if (!said || item.synthetic || said->text.empty()) continue;
      const bool typed = item.role == Role::user;
      html += typed ? element("div", said->text, "class=\"you\"") + "\n" : written(said->text);
    }
  }
  void operator()(const ToolFinished& done) {
    std::string head = done.label.empty() ? done.tool : done.label;
    if (!done.subject.empty()) head += "  " + done.subject;
    if (!done.note.empty()) head += " · " + done.note;
    html += unfolded(head, done.diff.empty() ? done.text : done.diff, done.is_error ? "failed" : "");
  }
  void operator()(const Compaction& one) {
    if (one.phase != CompactionPhase::completed) return;
    html += element("p",
                    "◇ " + std::string(did(one.tier)) + " · " + thousands(one.before) + " → " +
                        thousands(one.after) + " tokens",
                    "class=\"dim\"") +
            "\n";
  }
  void operator()(const Notice& notice) { html += element("p", notice.text, "class=\"dim\"") + "\n"; }
  template <class Other>
  void operator()(const Other&) {}
};

std::string row(std::initializer_list<std::string> cells, std::size_t words) {
  std::string out = "<tr>";
  std::size_t at = 0;
  for (const std::string& cell : cells) out += element("td", cell, at++ < words ? "" : "class=\"n\"");
  return out + "</tr>\n";
}

// What was paid for: answers, summaries, drafts, each by its model.
std::string cost_table(const std::vector<UsageRow>& requests) {
  struct Spent {
    std::uint64_t requests = 0;
    Tokens input = 0, cached = 0, output = 0;
    double dollars = 0;
  };
  std::map<std::pair<std::string, std::string>, Spent> sources;
  Spent all;
  for (const UsageRow& one : requests)
    for (Spent* spent : {&sources[{one.purpose, one.provider + "/" + one.model}], &all}) {
      ++spent->requests;
      spent->input += one.input + one.cache_write;
      spent->cached += one.cache_read;
      spent->output += one.output;
      spent->dollars += one.dollars;
    }
  if (requests.empty()) return element("p", "No requests.", "class=\"dim\"");
  std::string out =
      "<div class=\"table\"><table><tr><th>Source</th><th>Model</th><th class=\"n\">Requests</th><th "
      "class=\"n\">Input</th>"
      "<th class=\"n\">From cache</th><th class=\"n\">Output</th><th class=\"n\">Cost</th></tr>\n";
  const auto line = [](std::string source, std::string model, const Spent& spent) {
    return row({std::move(source), std::move(model), std::to_string(spent.requests), thousands(spent.input),
                thousands(spent.cached), thousands(spent.output), dollars_text(spent.dollars)},
               2);
  };
  for (const auto& [source, spent] : sources) out += line(source.first, source.second, spent);
  return out + line("all", "", all) + "</table></div>\n";
}

std::string compaction_list(const std::vector<CompactionRecord>& compactions) {
  std::string out;
  for (const CompactionRecord& one : compactions) {
    if (one.tier == Tier::none) continue;
    const std::string head = local_time(one.when) + " · " + std::string(did(one.tier)) + " · " +
                             thousands(one.before) + " → " + thousands(one.after) + " tokens" +
                             (one.undone ? " · undone" : "");
    std::string body =
        "Why: " + one.why + "\nStrategy: " + one.strategy + (one.model.empty() ? "" : " by " + one.model);
    if (!one.audit.empty()) body += "\nAudit: " + one.audit;
    if (!one.cost.empty()) body += "\nCost: " + one.cost;
    if (!one.summary.empty()) body += "\n\nSummary:\n" + one.summary;
    if (!one.audit_full.empty()) body += "\n\nEvery detail:\n" + one.audit_full;
    out += unfolded(head, body, "folded");
  }
  return out.empty() ? element("p", "No compactions.", "class=\"dim\"") : out;
}

}  // namespace

std::string html_text(std::string_view raw) {
  std::string out;
  for (const char c : valid_utf8(std::string(raw))) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += byte < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

std::string report_page(const ReportFacts& facts) {
  const std::string title = facts.name.empty() ? "tern session " + facts.id : facts.name;
  PageWriter said;
  for (const Event& event : facts.conversation) std::visit(said, event);
  std::string page =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
      element("title", title) + "\n<style>" + std::string(style) + "</style></head><body>\n";
  page += element("h1", title) + "\n" +
          element("p",
                  "Session " + facts.id + " · " + facts.model + " · tern " + facts.version + " · written " +
                      facts.written,
                  "class=\"dim\"");
  page += "\n<h2>The window over time</h2>\n" +
          report_chart(window_history(facts.requests, facts.compactions), facts.limit,
                       {facts.micro_at, facts.compact_at, facts.truncate_at});
  page += "<h2>Cost by source</h2>\n" + cost_table(facts.requests);
  page += "<h2>What each compaction did</h2>\n" + compaction_list(facts.compactions);
  page += "<h2>The conversation</h2>\n" + said.html;
  return page + "</body></html>\n";
}

}  // namespace tern
