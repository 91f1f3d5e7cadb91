// A session of 10,000 turns: how fast it is written, how large it is, and how long and how much memory a
// resume takes. Prints one line per figure; the resume runs in a process of its own, so that its memory is
// its own.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "agent/store/store.h"
#include "compression/values/tokens.h"

using namespace tern;
using Clock = std::chrono::steady_clock;

namespace {

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Text like a build log: words, paths and numbers in no order.
std::string log_text(std::mt19937& random, std::size_t bytes) {
  static const char* const words[] = {"src/parser/token.cpp",
                                      "error:",
                                      "warning:",
                                      "note:",
                                      "undefined",
                                      "reference",
                                      "to",
                                      "std::vector",
                                      "Building",
                                      "CXX",
                                      "object",
                                      "in",
                                      "function",
                                      "line",
                                      "passed"};
  std::string text;
  while (text.size() < bytes) {
    text += words[random() % std::size(words)];
    text += random() % 5 ? " " : ":" + std::to_string(random() % 10'000) + "\n";
  }
  return text;
}

ItemPtr message(std::uint64_t id, Role role, Block block) {
  Item item;
  item.id = {id}, item.role = role, item.blocks.push_back(std::move(block));
  return make_item(std::move(item));
}

struct Written {
  std::int64_t payload = 0;
  std::vector<double> appends;
};

Written write_session(const std::filesystem::path& folder, int turns) {
  Written written;
  std::mt19937 random(1);
  auto store = Store::open({.folder = folder});
  store->create({.name = "long", .cwd = {}, .model = {}});
  std::uint64_t id = 0, first = 1, batch = 0;
  for (int turn = 0; turn < turns; ++turn) {
    const std::string words = log_text(random, 200), answer = log_text(random, 800),
                      output = log_text(random, 16'000);
    written.payload += static_cast<std::int64_t>(words.size() + answer.size() + output.size());
    const auto begin = Clock::now();
    store->append(message(++id, Role::user, Text{words}));
    written.appends.push_back(ms_since(begin));
    store->transact([&] {
      store->append(message(++id, Role::assistant,
                            ToolCall{"c" + std::to_string(id), "Bash", "{\"command\":\"make\"}", {}}));
      store->started({"c" + std::to_string(id), "Bash", "Bash", "make", ""});
    });
    store->transact([&] {
      ToolResult result;
      result.call_id = "c" + std::to_string(id), result.tool = "Bash",
      result.text = output.substr(0, 3'000) + output.substr(13'000);
      result.recall = store->put_original(output, "Bash", "make"), result.form = ResultForm::snipped;
      ToolFinished cell;
      cell.call_id = result.call_id, cell.tool = cell.label = "Bash", cell.subject = "make",
      cell.note = "exit 0";
      store->finished(cell, result);
      store->append(message(++id, Role::user, result));
    });
    store->append(message(++id, Role::assistant, Text{answer}));
    if (turn % 100 == 99) {
      Item summary;
      summary.id = store->next_item(), summary.synthetic = true,
      summary.blocks.push_back(Summary{answer, {{first}, {id - 40}}});
      Batch edits{++batch, {{{first}, Insert{make_item(std::move(summary))}, {Tier::compact, "s", ""}, 0}}};
      for (; first <= id - 40; ++first) edits.edits.push_back({{first}, Drop{}, {Tier::compact, "s", ""}, 1});
      CompactionRecord record;
      record.tier = Tier::compact, record.summary = answer;
      store->log(edits, record);
      id = store->next_item().value;
    }
    store->idle();
  }
  return written;
}

double processor_ms() {
  struct rusage used {};
  ::getrusage(RUSAGE_SELF, &used);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

// Wall and processor time: on a busy machine only the second means something.
void resume(const std::filesystem::path& folder) {
  const auto begin = Clock::now();
  const double before = processor_ms();
  const auto tell = [&](const char* what, std::size_t count) {
    std::printf("resume: %-18s%8.1f ms, processor %.1f ms  (%zu)\n", what, ms_since(begin),
                processor_ms() - before, count);
  };
  auto store = Store::open({.folder = folder});
  std::string why;
  const auto opened = store->newest(why);
  tell("context ready", opened ? opened->conversation.items.size() : 0);
  std::size_t events = store->screen({.begin = store->screen_begin(SIZE_MAX, 1'000)}).size();
  tell("newest 1,000 rows", events);
  events = store->screen().size();
  tell("whole screen", events);
  struct rusage used {};
  ::getrusage(RUSAGE_SELF, &used);
  std::printf("resume: peak memory       %8ld MB\n", used.ru_maxrss / 1024);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) return resume(argv[2]), 0;  // store_bench 0 FOLDER: an existing one
  const int turns = argc > 1 ? std::atoi(argv[1]) : 10'000;
  const char* where = std::getenv("TMPDIR");
  std::string name = std::string(where ? where : "/tmp") + "/tern-bench-XXXXXX";
  const std::filesystem::path folder = ::mkdtemp(name.data());
  const auto begin = Clock::now();
  Written written;
  std::int64_t size = 0;
  if (const pid_t child = ::fork(); child == 0) {
    written = write_session(folder, turns);
    std::sort(written.appends.begin(), written.appends.end());
    size = Store::open({.folder = folder, .read_only = true})->size_on_disk();
    std::printf("turns written             %8d     in %.1f s\n", turns, ms_since(begin) / 1'000);
    std::printf("append, acknowledged      %8.3f ms median, %.3f ms p99\n",
                written.appends[written.appends.size() / 2],
                written.appends[written.appends.size() * 99 / 100]);
    std::printf("payload; on disk          %8.1f MB; %.1f MB (%.2f x)\n",
                static_cast<double>(written.payload) / 1e6, static_cast<double>(size) / 1e6,
                static_cast<double>(size) / static_cast<double>(written.payload));
    std::fflush(stdout);
    ::_exit(0);
  } else {
    ::waitpid(child, nullptr, 0);
  }
  if (const pid_t child = ::fork(); child == 0) {
    resume(folder);
    ::_exit(0);
  } else {
    ::waitpid(child, nullptr, 0);
  }
  std::filesystem::remove_all(folder);
}
