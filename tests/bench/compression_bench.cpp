// The compression folder's figures: the best of several runs, in the processor's time, since nothing here
// waits and the machine may be busy.
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>

#include "compression/plan/microcompact.h"
#include "compression/plan/plan.h"
#include "compression/plan/removal.h"
#include "compression/plan/summary_local.h"
#include "compression/reading/boundary.h"
#include "compression/reading/condense.h"
#include "compression/reading/index.h"
#include "compression/reading/snip.h"
#include "compression/text/salient.h"
#include "compression/values/family_count.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"

using namespace tern;

namespace {

std::size_t sink = 0;

double best_ms(const std::function<void()>& work, int runs = 15) {
  double best = 1e18;
  for (int i = 0; i < runs; ++i) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

bool all_held = true;

// As tests/bench/table reads it: what, value, unit, bar.
void row(const char* what, double figure, const char* unit, double bar, bool at_least) {
  all_held = all_held && (at_least ? figure >= bar : figure <= bar);
  std::printf("%s\t%.2f\t%s\t%s %g\n", what, figure, unit, at_least ? ">=" : "<=", bar);
}

std::string prose(std::size_t bytes) {
  static const char* const subjects[] = {"The parser", "A worker", "One cursor", "Every frame",
                                         "This buffer"};
  static const char* const objects[] = {"session", "header", "token table", "old result",
                                        "summary", "window", "index"};
  static const char* const verbs[] = {"keeps the state of", "returns early from", "waits for", "walks over",
                                      "hands back"};
  std::string text;
  for (unsigned i = 0, n = 0; text.size() < bytes; i = i * 1103515245u + 12345u, ++n) {
    text += static_cast<char>('a' + n % 26);
    text += ") ";
    text += std::string(subjects[(i >> 8) % 5]) + " " + verbs[(i >> 16) % 5] + " the " +
            objects[(i >> 20) % 7] + ", and nothing else happens until the next call arrives.\n";
  }
  return text;
}

void snip_row(const char* what, const std::string& text, OutputKind kind, double bar) {
  SnipForm form;
  form.kind = kind;
  const double ms = best_ms([&] { sink += snip_text(text, form, RecallId{1}).size(); }, 7);
  row(what, static_cast<double>(text.size()) / 1e3 / ms, "MB/s", bar, true);
}

Conversation conversation_of(int turns, int result_tokens) {
  std::string text = "system You are a careful engineer.\n";
  for (int i = 1; i <= turns; ++i) {
    const auto n = std::to_string(i);
    text += "user Please look at src/file" + n + ".cpp and fix parse_token_" + n + ".\ncall " + n +
            (i % 3 ? " Read src/file" : " Bash ctest -R part_") + n + ".cpp\nresult " + n + " " +
            std::to_string(result_tokens) + " tokens\nassistant I changed parse_token_" + n + " in src/file" +
            n + ".cpp:42.\n";
  }
  return test::script(text);
}

std::size_t bytes_in_use() { return mallinfo2().uordblks; }

void compaction_rows() {
  const auto conversation = conversation_of(125, 1'550);
  std::printf("\n%zu messages, %lld tokens\n", conversation.items.size(),
              static_cast<long long>(count(conversation)));
  Budget budget{.window = count(conversation) * 100 / 97, .reserve = 0};
  const double scan = best_ms([&] { sink += static_cast<std::size_t>(count(conversation)); });
  row("sum of the counts", scan, "ms", 1, false);
  row("counting every message anew", best_ms([&] {
        for (const auto& item : conversation.items) sink += static_cast<std::size_t>(estimate(*item));
      }),
      "ms", 1, false);
  row("weighing every message for a family anew",
      best_ms([&] { sink += static_cast<std::size_t>(FamilyCount().of(conversation, Family::qwen)); }), "ms",
      5, false);
  const auto whole = [&](const char* what, const std::function<Edits()>& propose) {
    row(what, best_ms([&] { sink += tern::apply(conversation, propose()).items.size(); }), "ms", 5, false);
  };
  whole("microcompact to 40 %, applied",
        [&] { return microcompact(conversation, budget, {.target = item_target(budget, 0.4)}); });
  whole("hard tier: plan at 97 %, applied", [&] { return plan(conversation, budget).edits; });
  whole("middle removal to 50 %, applied",
        [&] { return remove(conversation, budget.config, Removal::middle, count(conversation) / 2); });
  whole("truncate to 10 %, applied",
        [&] { return truncate(conversation, budget, count(conversation) / 10); });
  whole("local summary, applied", [&] { return local_summary(conversation, budget, {}); });
  row("boundary", best_ms([&] { sink += find_boundary(conversation)->index; }), "ms", 0.5, false);
  row("index of the specifics", best_ms([&] { sink += index_of(conversation, 1'500).size(); }), "ms", 5,
      false);
}

void memory_row() {
  const std::size_t before_all = bytes_in_use();
  auto conversation = conversation_of(130, 4'000);
  const std::size_t before = bytes_in_use() - before_all;
  const Budget budget{.window = count(conversation), .reserve = 0};
  conversation =
      tern::apply(conversation, plan(conversation, budget, {.manual = true, .strategy = "local"}).edits);
  const std::size_t after = bytes_in_use() - before_all;
  std::printf("\n%.1f MB of conversation\n", static_cast<double>(before) / 1e6);
  row("memory of 10 MB after a compaction", 100.0 * static_cast<double>(after) / static_cast<double>(before),
      "%", 30, false);
}

}  // namespace

int main() {
  const auto plain = prose(16'000'000);
  const auto source = test::generated_lines("Read", "x", 250'000, 3),
             log = test::generated_lines("Bash", "x", 300'000, 5);
  snip_row("snip, 16 MB of plain text", plain, OutputKind::log, 500);
  snip_row("snip, 15 MB of source", source, OutputKind::source, 500);
  snip_row("snip, 12 MB of log lines that are alike", log, OutputKind::log, 200);
  row("search for error lines, 16 MB",
      static_cast<double>(plain.size()) / 1e3 /
          best_ms([&] { sink += salient_lines(plain, 2'000).size(); }, 7),
      "MB/s", 500, true);
  row("token estimate, 16 MB",
      static_cast<double>(plain.size()) / 1e3 /
          best_ms([&] { sink += static_cast<std::size_t>(estimate(plain)); }, 5),
      "MB/s", 100, true);
  compaction_rows();
  memory_row();
  std::printf("\n%s\n", all_held ? "all bars held" : "some bars were missed");
  return sink == 0;
}
