#include "app/cli/report_command.h"

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "agent/compactor/meters.h"
#include "agent/models/models.h"
#include "agent/protocol/local_time.h"
#include "app/cli/report_page.h"
#include "app/session/console.h"

namespace tern {
namespace {

struct Wanted {
  std::string session, file, wrong;
};

Wanted read_words(const std::vector<std::string>& words) {
  Wanted wanted;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool output = words[i] == "-o" || words[i] == "--output", session = words[i] == "--session";
    if ((output || session) && i + 1 == words.size()) {
      wanted.wrong = words[i] + " needs " + (output ? "a file" : "a session");
    } else if (output) {
      wanted.file = words[++i];
    } else if (session) {
      wanted.session = words[++i];
    } else if (wanted.session.empty()) {
      wanted.session = words[i];
    } else {
      wanted.wrong = "report takes one session, as in: tern report -o page.html";
    }
  }
  return wanted;
}

int complain_of(const std::string& text, int status) {
  print(stderr, "tern: " + text + "\n");
  return status;
}

Meters meters_of(const Store& store, const OpenedSession& opened, const Config& config) {
  Models models;
  const auto name = models.resolve(opened.model).value_or(ModelName{"", opened.model});
  Context context;
  context.conversation = opened.conversation;
  context.model = models.find(name.provider, name.model);
  context.config = config.compression;
  load_frame(store.state("frame"), context);
  context.gauges.load(store.state("gauges"), context.model);
  return read_meters(context);
}

}  // namespace

int run_report(Store& store, const std::vector<std::string>& words, const Config& config) {
  const Wanted wanted = read_words(words);
  if (!wanted.wrong.empty()) return complain_of(wanted.wrong, 2);
  std::string why;
  const auto opened = wanted.session.empty() ? store.newest(why) : store.resume(wanted.session, why);
  if (!opened) return complain_of(why.empty() ? "there is no conversation here yet" : why, 1);
  const Meters meters = meters_of(store, *opened, config);
  constexpr std::size_t longest_result = 64 << 10;
  const ReportFacts facts{
      .id = opened->id,
      .name = opened->name,
      .model = opened->model,
      .version = TERN_VERSION,
      .written = local_time(std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now())),
      .conversation = store.screen({.tool_text = longest_result, .full_cells = SIZE_MAX}),
      .compactions = store.compactions(),
      .requests = store.requests(),
      .limit = meters.limit,
      .micro_at = meters.micro_at,
      .compact_at = meters.compact_at,
      .truncate_at = meters.truncate_at};
  const std::string page = report_page(facts);
  if (wanted.file == "-") {
    print(stdout, page);
    return 0;
  }
  const std::string file = wanted.file.empty() ? "tern-" + opened->id + ".html" : wanted.file;
  std::error_code ignored;
  if (wanted.file.empty() && std::filesystem::exists(file, ignored))
    return complain_of(file + " already exists; name another file with -o, which is then replaced", 1);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << page;
  if (!out.flush()) return complain_of("cannot write " + file, 1);
  print(stdout, "Wrote " + file + ".\n");
  return 0;
}

}  // namespace tern
