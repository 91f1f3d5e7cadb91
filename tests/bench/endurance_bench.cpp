// A day of work through a small window: thousands of turns in one session, restarts, kill -9, a small model that fails for an
// hour, a provider that refuses a length. Prints one line per figure and ends with 1 when a promise is broken.
//   endurance_bench [turns]      default 200 (about two minutes); TERN_ENDURANCE_TURNS=2000 for the whole day
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>

#include "agent/turn.h"
#include "compression/check.h"
#include "tests/agent/turn_rig.h"
#include "tools/jobs.h"

using namespace tern;
using test::Rig;

namespace {

namespace fs = std::filesystem;
constexpr Tokens window = 64'000;
constexpr std::int64_t empty_store = 400'000;  // tables, indexes and the log's first pages

struct Day {
  int turns = 200;
  fs::path folder;
  bool small_model_fails(int turn) const { return turn > turns / 3 && turn < turns / 3 + turns / 8; }
  bool refuses(int turn) const { return turn == turns / 2; }
};

std::string words(unsigned seed, int count) {
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0; i < count; ++i)
    text +=
        "src/m" + std::to_string(random() % 900) + "/f" + std::to_string(random() % 9'000) + (i % 6 == 5 ? ".cpp:12\n" : ".h ");
  return text;
}

std::string prompt_of(int turn) {
  return "Task number " + std::to_string(turn) + ": look at the listing and remember value " + std::to_string(turn * 7919) + ".";
}

long rss_kb() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("VmRSS:", 0) == 0) return std::strtol(line.c_str() + 6, nullptr, 10);
  return 0;
}

// Where the day stands; the providers of one life share it.
struct Clock {
  int turn = 0, refused = 0;
  bool refused_once = false;
  std::string bad;
};

// Each turn: one listing read, then an answer. Refuses what is too long, as a real provider does.
class DayProvider : public Provider {
 public:
  DayProvider(const Day& day, Clock& clock, fs::path root) : day_(day), clock_(clock), root_(std::move(root)) {}

  void stream(const Request& request, const Sink& sink, std::stop_token) override {
    if (!request.may_call_tools) return summary(sink);
    if (auto problems = check(request.conversation); !problems.empty()) clock_.bad = problems.front().what;
    const auto tokens = count(request.conversation) + 30;
    if (tokens > window || (day_.refuses(clock_.turn) && !std::exchange(clock_.refused_once, true))) {
      if (tokens > window) ++clock_.refused;
      return sink(Failed{Failure::overflow, "prompt is too long", window, std::max(tokens, window + 1), 400});
    }
    sink(UsageReport{{tokens, 80, 0, 0}});
    const auto& last = *request.conversation.items.back();
    const bool answered = std::any_of(last.blocks.begin(), last.blocks.end(),
                                      [](const Block& block) { return std::holds_alternative<ToolResult>(block); });
    if (answered || last.synthetic) {
      sink(BlockDone{
          Text{"Task " + std::to_string(clock_.turn) + " is done. " + words(static_cast<unsigned>(clock_.turn) + 50'000, 12)}});
      return sink(Finished{StopReason::end});
    }
    const auto name = "f" + std::to_string(clock_.turn) + ".txt";
    sink(BlockDone{
        test::call("c" + std::to_string(last.id.value), "Read", R"({"file_path":")" + (root_ / name).string() + R"("})")});
    sink(Finished{StopReason::tools});
  }

 private:
  void summary(const Sink& sink) const {
    if (day_.small_model_fails(clock_.turn)) return sink(Failed{Failure::server, "the small model is down", 0, 0, 500});
    sink(UsageReport{{4'000, 60, 0, 0}});
    sink(BlockDone{Text{
        "<summary>\n1. Primary Request and Intent: numbered tasks.\n7. Pending Tasks: the next number\n8. Current Work: task " +
        std::to_string(clock_.turn) + "\n</summary>"}});
    sink(Finished{StopReason::end});
  }

  const Day& day_;
  Clock& clock_;
  fs::path root_;
};

// The child: goes on from wherever the store stands; says each finished turn on the pipe.
int live(const Day& day, int from, int to, int pipe) {
  Rig rig(window, day.folder);
  Clock clock;
  rig.keep_events = false;
  rig.connect = [&] { return std::make_unique<DayProvider>(day, clock, rig.root); };
  rig.provider = rig.connect();
  if (from == 0) rig.compactor.pin(rig.context, {"The answer to everything is pinned-42.", true});
  for (int turn = from; turn < to; ++turn) {
    clock.turn = turn;
    rig.write("f" + std::to_string(turn) + ".txt", words(static_cast<unsigned>(turn), 420));
    const auto end = rig.turn(prompt_of(turn));
    if (end.how != TurnEnded::How::done || !clock.bad.empty()) {
      std::fprintf(stderr, "turn %d: %s%s\n", turn, end.error.c_str(), clock.bad.c_str());
      return 2;
    }
    std::error_code ignored;
    fs::remove(rig.root / ("f" + std::to_string(turn) + ".txt"), ignored);
    const std::string line = std::to_string(turn) + ' ' + std::to_string(rss_kb()) + ' ' + std::to_string(clock.refused) + '\n';
    if (::write(pipe, line.data(), line.size()) < 0) return 4;
  }
  return 0;
}

struct Life {
  int last = -1, status = 0;
  long rss = 0;
  int refused = 0;
};

Life one_life(const Day& day, int from, int to, bool murder) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const auto child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    ::_exit(live(day, from, to, ends[1]));
  }
  ::close(ends[1]);
  Life life;
  std::string line;
  for (char c; ::read(ends[0], &c, 1) == 1;) {
    if (c != '\n') {
      line += c;
      continue;
    }
    std::sscanf(line.c_str(), "%d %ld %d", &life.last, &life.rss, &life.refused);
    line.clear();
    if (murder && life.last >= (from + to) / 2) {
      pollfd none{-1, 0, 0};
      ::poll(&none, 0, std::rand() % 20);  // somewhere inside the next turn
      ::kill(child, SIGKILL);
      murder = false;
    }
  }
  ::close(ends[0]);
  ::waitpid(child, &life.status, 0);
  return life;
}

int failures = 0;
void promise(bool kept, const char* what) {
  std::printf("%-58s %s\n", what, kept ? "ok" : "BROKEN");
  if (!kept) ++failures;
}

void verify(const Day& day, int acknowledged) {
  const auto begin = std::chrono::steady_clock::now();
  auto store = Store::open({.folder = day.folder});
  std::string why;
  const auto session = store->newest(why);
  const auto resumed = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (!session) return promise(false, "the session opens");
  promise(check(repair(session->conversation)).empty(), "the resumed context has the shape providers insist on");
  std::set<std::string> prompts;
  for (const auto& point : store->rewind_points()) prompts.insert(point.text.substr(0, point.text.find(':')));
  int missing = 0;
  for (int i = 0; i <= acknowledged; ++i) missing += !prompts.count("Task number " + std::to_string(i));
  promise(missing == 0, "every acknowledged prompt is in the log");
  bool pinned = false;
  for (const auto& item : session->conversation.items)
    for (const auto& block : item->blocks)
      if (const auto* text = std::get_if<Text>(&block))
        pinned = pinned || (item->pinned && text->text.find("The answer to everything is pinned-42.") != std::string::npos);
  promise(pinned, "the pin stands as it was");
  std::int64_t payload = 0;
  std::size_t silent = 0, ids = 0;
  for (const auto& original : store->originals(1'000'000)) {
    ++ids;
    const auto text = store->text(original.id);
    if (!text || static_cast<std::int64_t>(text->size()) != original.bytes) ++silent;
    payload += original.bytes;
  }
  promise(silent == 0, "every recall id answers with all its bytes");
  const auto compactions = store->compactions().size();
  store.reset();  // closed, its write-ahead log is back in the file
  const auto size = static_cast<std::int64_t>(fs::file_size(day.folder / "tern.db"));
  const double ratio = static_cast<double>(size - empty_store) / static_cast<double>(std::max<std::int64_t>(payload, 1));
  if (payload > 1'000'000) promise(ratio <= 1.3, "the store is at most 1.3 times its payload");
  promise(resumed <= 300, "resumed within 0.3 s");
  std::printf("recall ids %zu · payload %.1f MB · store %.2f x · resume %.0f ms · compactions %zu\n", ids,
              static_cast<double>(payload) / 1e6, ratio, resumed, compactions);
}

}  // namespace

int main(int argc, char** argv) {
  Day day;
  if (const char* turns = std::getenv("TERN_ENDURANCE_TURNS")) day.turns = std::atoi(turns);
  if (argc > 1) day.turns = std::atoi(argv[1]);
  day.folder = test::fresh_folder() / "store";
  fs::create_directories(day.folder);
  constexpr int lives = 6;  // five restarts, two of them after kill -9
  int next = 0, refused = 0;
  long first_rss = 0, last_rss = 0;
  for (int i = 0; i < lives && failures == 0; ++i) {
    const int to = day.turns * (i + 1) / lives;
    const bool murder = i == 1 || i == 3;
    const auto life = one_life(day, next, to, murder);
    promise(murder || life.status == 0,
            murder ? "killed with -9 in the middle" : "a stretch of the day without a refused request");
    if (life.last >= 0) next = life.last + 1;
    refused += life.refused;
    last_rss = life.rss;
    if (first_rss == 0) first_rss = life.rss;
    verify(day, next - 1);
  }
  promise(refused == 0, "no request was longer than the window");
  promise(last_rss < first_rss + 30'000, "memory is flat");
  std::printf("turns %d · RSS %ld → %ld KB\n", next, first_rss, last_rss);
  if (!std::getenv("TERN_ENDURANCE_KEEP")) fs::remove_all(day.folder.parent_path());
  return failures ? 1 : 0;
}
