#include "app/cli/report_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "compression/text/figures.h"

namespace tern {
namespace {

constexpr double left = 60, top = 10, high = 180, wide = 800, costs = 40;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string rectangle(double x, double y, double width, double height, std::string_view fill,
                      const std::string& title) {
  return "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) + "\" height=\"" +
         number(height) + "\" fill=\"var(--" + std::string(fill) + ")\"><title>" + title +
         "</title></rect>\n";
}

std::string words(double x, double y, const std::string& text, std::string_view anchor) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + std::string(anchor) +
         "\" font-size=\"11\" fill=\"var(--dim)\">" + text + "</text>\n";
}

std::string_view colour(double share) { return share < 0.6 ? "good" : share < 0.8 ? "warn" : "bad"; }

struct Kind {
  std::string_view part, name;  // as in Meters::parts, and as people read it
};
constexpr Kind kinds[] = {{"system", "system"},      {"tools", "tools"},         {"memory", "memory"},
                          {"user", "you"},           {"assistant", "assistant"}, {"results", "results"},
                          {"summaries", "summaries"}};

bool has(const WindowPoint& point, std::string_view part) {
  return std::any_of(point.parts.begin(), point.parts.end(),
                     [&](const Part& one) { return one.name == part && one.tokens > 0; });
}

// "Request 3: 12,000 tokens, $0.02, compact freed 8,000".
std::string told(std::size_t request, const WindowPoint& point) {
  std::string text = "Request " + std::to_string(request + 1) + ": " + thousands(point.used) + " tokens, " +
                     money(point.dollars);
  if (point.acted != Tier::none)
    text += ", " + std::string(to_string(point.acted)) + " freed " + thousands(point.freed);
  for (const Kind& kind : kinds)
    for (const Part& part : point.parts)
      if (part.name == kind.part && part.tokens > 0)
        text += "\n" + std::string(kind.name) + ": " + thousands(part.tokens);
  return text;
}

// A request from the ground up, a rectangle for each kind of text; whole where the kinds are not known.
std::string stack(double x, double bar, double whole, std::size_t request, const WindowPoint& point) {
  const auto share = [&](Tokens tokens) { return static_cast<double>(tokens) / whole * high; };
  const std::string title = told(request, point);
  if (point.parts.empty()) {
    const double height = std::max(1.0, share(point.used));
    return rectangle(x, top + high - height, bar, height, colour(static_cast<double>(point.used) / whole),
                     title);
  }
  std::string svg;
  Tokens sum = 0;
  for (const Part& part : point.parts) {
    sum += part.tokens;
    if (has(point, part.name))
      svg += rectangle(x, top + high - share(sum), bar, share(part.tokens), "kind-" + part.name, title);
  }
  return svg;
}

std::string legend(const std::vector<WindowPoint>& history) {
  std::string out;
  for (const Kind& kind : kinds) {
    const bool shown = std::any_of(history.begin(), history.end(),
                                   [&](const WindowPoint& point) { return has(point, kind.part); });
    if (shown)
      out += "<span><i style=\"background:var(--kind-" + std::string(kind.part) + ")\"></i>" +
             std::string(kind.name) + "</span>\n";
  }
  return out.empty() ? out : "<p class=\"dim legend\">" + out + "</p>\n";
}

}  // namespace

std::string report_chart(const std::vector<WindowPoint>& history, Tokens limit,
                         const std::vector<double>& marks) {
  if (history.empty()) return "<p class=\"dim\">No model has been asked yet.</p>\n";
  Tokens most = std::max<Tokens>(limit, 1);
  double dearest = 0;
  for (const WindowPoint& point : history) {
    if (limit <= 0 || point.used > most) most = std::max(most, point.used);
    dearest = std::max(dearest, point.dollars);
  }
  const auto whole = static_cast<double>(most);
  const double step = wide / static_cast<double>(history.size()),
               bar = std::max(0.5, std::min(step * 0.8, 40.0));
  std::string svg =
      "<svg viewBox=\"0 0 900 270\" role=\"img\" aria-label=\"Tokens of the window, request by request\">\n";
  svg += words(left - 6, top + 10, thousands(most), "end") + words(left - 6, top + high, "0", "end");
  if (dearest > 0) svg += words(left - 6, top + high + 24 + costs, "cost", "end");
  for (std::size_t i = 0; i < history.size(); ++i) {
    const WindowPoint& point = history[i];
    const double x = left + step * static_cast<double>(i);
    svg += stack(x, bar, whole, i, point);
    if (point.acted > Tier::snip) svg += words(x + bar / 2, top + high + 14, "◆", "middle");
    if (dearest <= 0 || point.dollars <= 0) continue;
    const double cost = std::max(1.0, point.dollars / dearest * costs);
    svg += rectangle(x, top + high + 24 + costs - cost, bar, cost, "dim", told(i, point));
  }
  for (const double mark : marks) {
    if (mark <= 0 || mark > 1 || limit <= 0) continue;
    const std::string y = number(top + high - mark * high * static_cast<double>(limit) / whole);
    svg += "<line x1=\"" + number(left) + "\" x2=\"" + number(left + wide) + "\" y1=\"" + y + "\" y2=\"" + y +
           "\" stroke=\"var(--dim)\" stroke-dasharray=\"3 4\"/>\n" +
           words(left + wide + 4, top + high - mark * high * static_cast<double>(limit) / whole + 4,
                 std::to_string(static_cast<int>(std::lround(mark * 100))) + "%", "start");
  }
  return svg + "</svg>\n" + legend(history) +
         "<p class=\"dim\">One bar per request, with its cost below. ◆ marks where the context was "
         "made smaller; the "
         "dashed lines show at what share that begins.</p>\n";
}

}  // namespace tern
