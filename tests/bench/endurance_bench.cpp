// The day of work of tests/agent/turn/day_of_work.h as figures; ends with 1 when a promise is broken.
//   endurance_bench [turns]      default 120; 2000 (or TERN_ENDURANCE_TURNS) is the whole day
#include <cstdio>
#include <cstdlib>

#include "tests/agent/turn/day_of_work.h"

using namespace tern;

namespace {

constexpr std::int64_t empty_store = 400'000;  // tables, indexes and the log's first pages

int failures = 0;
void figure(const char* what, double value, const char* unit, const char* bar, bool kept = true) {
  std::printf("%s\t%.6g\t%s\t%s\n", what, value, unit, bar);
  if (!kept) ++failures;
}

}  // namespace

int main(int argc, char** argv) {
  if (const int status = test::live_if_told(); status >= 0) return status;
  test::Day day{.turns = 120, .window = 64'000, .words = 420, .folder = {}};
  if (const char* turns = std::getenv("TERN_ENDURANCE_TURNS")) day.turns = std::atoi(turns);
  if (argc > 1) day.turns = std::atoi(argv[1]);
  day.folder = test::fresh_folder() / "store";
  const auto begin = std::chrono::steady_clock::now();
  const auto report = test::run_day(day);
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!report.broken.empty()) std::printf("broken: %s\n", report.broken.c_str());
  const auto count_of = [](std::size_t n) { return static_cast<double>(n); };
  const double ratio = static_cast<double>(report.store - empty_store) /
                       static_cast<double>(std::max<std::int64_t>(report.payload, 1));
  const double automatic = count_of(report.swapped + report.waited);
  figure("turns", report.turns, "", "");
  figure("wall time", seconds, "s", "");
  figure("tokens sent in requests", static_cast<double>(report.sent) / 1e6, "M", "");
  figure("restarts; of them after kill -9", report.restarts + report.kills + report.kills / 10.0, "", "");
  const double each = count_of(report.compactions) / std::max(1, report.turns);
  const double swapped = automatic > 0 ? count_of(report.swapped) / automatic : 1;
  figure("compactions", count_of(report.compactions), "", "");
  figure("compactions for each turn", each, "", "<= 0.5", each <= 0.5);
  figure("summaries swapped in from a draft", swapped, "share", ">= 0.9",
         report.turns < 1'000 || swapped >= 0.9);
  figure("summaries by the small model", count_of(report.by_small), "", "> 0", report.by_small > 0);
  figure("… by the main one, while that is down", count_of(report.by_main), "", "> 0", report.by_main > 0);
  figure("… by none, while both are", count_of(report.by_none), "", "> 0", report.by_none > 0);
  figure("requests longer than the window", report.refused, "", "<= 0", report.refused == 0);
  figure("refusals of the provider survived", report.overflows, "", "", report.overflows == 1);
  figure("prompts missing", count_of(report.missing_prompts), "", "<= 0", report.missing_prompts == 0);
  figure("pins changed", count_of(report.changed_pins), "", "<= 0", report.changed_pins == 0);
  figure("recall ids", count_of(report.ids), "", "");
  figure("recall ids that do not answer", count_of(report.silent), "", "<= 0", report.silent == 0);
  figure("recall ids with another SHA-256", count_of(report.unequal), "", "<= 0", report.unequal == 0);
  figure("payload", static_cast<double>(report.payload) / 1e6, "MB", "");
  figure("store to payload", ratio, "x", "<= 1.3", report.payload < 1'000'000 || ratio <= 1.3);
  figure("slowest resume", report.resume_ms, "ms", "<= 300");
  figure("RSS of the first life", static_cast<double>(report.first_rss) / 1e3, "MB", "");
  figure("RSS of the last life", static_cast<double>(report.last_rss) / 1e3, "MB", "",
         report.last_rss < report.first_rss + 30'000);
  if (!std::getenv("TERN_ENDURANCE_KEEP")) std::filesystem::remove_all(day.folder.parent_path());
  return failures || !report.broken.empty() ? 1 : 0;
}
