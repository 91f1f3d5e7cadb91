// soak MINUTES [SEED]: two terns in one folder live a day of work with everything on, each on a terminal of
// its own: hooks, MCP servers that die, helpers, background drafts, compactions, faults of the model, Esc,
// storms of resizes. The second is killed now and then and goes on. Then it is counted what is lost, what
// grew, and what was left.
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "agent/store/store.h"
#include "tests/soak/soak_folder.h"
#include "tests/soak/soak_turns.h"
#include "tests/support/fake_llm.h"
#include "tests/support/pty.h"

using namespace tern;
using namespace tern::test;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int window = 24'000;
std::mutex one_at_a_time;  // terminals are opened one after another: a fork takes along what is open

struct Sample {
  long resident = 0;
  int descriptors = 0, processes = 0;
};

// One tern, its model and its user.
class Seat {
 public:
  Seat(const soak::Folder& folder, std::string name, unsigned seed, bool killed)
      : folder_(folder), name_(std::move(name)), random_(seed), killed_(killed) {
    scenario(json::array());
    open({"--name", name_});
  }

  void work_until(Clock::time_point end) {
    while (Clock::now() < end && trouble.empty()) {
      turn();
      for (const auto& problem : server_.shape_problems()) trouble += problem + "\n";
    }
    if (trouble.empty()) leave();
  }

  std::string trouble;
  std::vector<std::string> said;  // prompts whose turn was seen to begin
  std::map<std::string, int> turns;
  std::vector<Sample> samples;
  int kills = 0;
  std::size_t refused = 0;

 private:
  void open(std::vector<std::string> more) {
    const Wire& wire = wires()[0];
    std::vector<std::string> words = {places::program(),     "--model", wire.model,
                                      "--permission-mode",   "bypass",  "--window",
                                      std::to_string(window)};
    words.insert(words.end(), more.begin(), more.end());
    const std::lock_guard lock(one_at_a_time);
    pty_.emplace(words, Pty::Options{.columns = 100,
                                     .lines = 30,
                                     .cwd = folder_.work.string(),
                                     .environment = {{"HOME", folder_.path.string()},
                                                     {"TERM", "xterm-256color"},
                                                     {"LANG", "C.UTF-8"},
                                                     {wire.key, "test-key"},
                                                     {wire.url, server_.url() + wire.path}},
                                     .deadline_seconds = 90});
    wait_for("claude-sonnet-4-5");
  }

  void scenario(const json& replies) {
    refused += server_.refused();
    server_.scenario(json{{"replies", replies},
                          {"match", {{{"when", "You are a helper of tern"}, {"text", "No needle here."}}}},
                          {"default", {{"text", "All right."}}},
                          {"limit", window + window / 4},
                          {"summary",
                           {{"text",
                             "<summary>\n1. Primary Request and Intent: a day of work\n8. "
                             "Current Work: going on\n</summary>"}}}}
                         .dump());
  }

  bool wait_for(std::string_view text) {
    if (pty_->until_text(text)) return true;
    fail("not seen: " + std::string(text));
    return false;
  }
  void fail(const std::string& what) {
    if (trouble.empty()) trouble = name_ + ", " + doing_ + ": " + what + "\n" + pty_->vt().text();
  }

  void turn() {
    const std::string mark = name_ + "-" + std::to_string(++count_), end = "end-" + mark + ".";
    const soak::Turn turn = soak::next_turn(random_, mark, end, killed_ && count_ > 3);
    doing_ = turn.what;
    ++turns[turn.what];
    scenario(turn.replies);
    if (!turn.before.empty()) {
      type(turn.before);
      type("\r");
    }
    if (turn.before == "/context") {
      if (!wait_for("What fills it")) return;
      pty_->send("\x1b");
      if (!pty_->until_gone("What fills it")) return fail("the page does not close");
    }
    type(turn.pasted.empty() ? "prompt " + mark : "\x1b[200~" + turn.pasted + "prompt " + mark + "\x1b[201~");
    if (!turn.pasted.empty() && !wait_for("❯ [Pasted")) return;
    type("\r");
    if (turn.way != soak::Way::plain && !wait_for("about " + mark)) return;
    said.push_back("prompt " + mark);
    meanwhile(turn.way, mark, end);
    if (trouble.empty() && turn.way != soak::Way::esc && turn.way != soak::Way::kill) {
      wait_for(end);
      if (!pty_->until_gone("esc interrupt")) fail("the turn does not end");
    }
    if (trouble.empty())
      samples.push_back({soak::resident_kb(pty_->pid()), soak::descriptors(pty_->pid()),
                         static_cast<int>(folder_.processes().size())});
  }

  void meanwhile(soak::Way way, const std::string& mark, const std::string& end) {
    switch (way) {
      case soak::Way::plain: break;
      case soak::Way::esc:
        pty_->send("\x1b");
        wait_for("interrupted");
        if (!pty_->until_gone("esc interrupt")) fail("Esc does not end the turn");
        break;
      case soak::Way::steer:
        type("prompt " + mark + " steered");
        type("\r");
        if (wait_for(end)) said.push_back("prompt " + mark + " steered");
        break;
      case soak::Way::resize: storm(); break;
      case soak::Way::kill:
        ::kill(pty_->pid(), SIGKILL);
        pty_->until_exit();
        ++kills;
        scenario(json::array());
        open({"--resume", name_});
        break;
    }
    if (way ==
        soak::Way::resize) {  // the slow answer may be the last of its turn: another prompt brings the end
      type("and now");
      type("\r");
    }
  }

  // As a hand does, which waits for what it typed: an Enter close behind other keys is part of a paste.
  void type(const std::string& keys) {
    pty_->send(keys);
    if (keys.front() > ' ' && !wait_for("❯ " + keys)) return;
    const auto then = Clock::now() + std::chrono::milliseconds(400);
    pty_->until([&](const Vt&) { return Clock::now() > then; });
  }

  void storm() {
    for (int n = 0; n < 25; ++n) {
      pty_->resize(40 + static_cast<int>(random_() % 120), 12 + static_cast<int>(random_() % 40));
      int looks = 0;
      pty_->until([&](const Vt&) { return ++looks > 1; });
    }
    pty_->resize(100, 30);
  }

  void leave() {
    doing_ = "leaving";
    scenario(json::array());
    pty_->send("\x04");
    if (pty_->until_exit() != 0) fail("does not leave");
  }

  const soak::Folder& folder_;
  std::string name_, doing_ = "starting";
  std::mt19937 random_;
  bool killed_;
  int count_ = 0;
  FakeLlm server_;
  std::optional<Pty> pty_;
};

int failures = 0;
void figure(const char* what, double value, const char* unit, const char* bar, bool kept) {
  std::printf("%-44s %12.6g %-6s %-10s %s\n", what, value, unit, bar, kept ? "" : "FAILED");
  if (!kept) ++failures;
}

// The middle of a tenth of the samples; the first tenth is warming up.
template <class Value>
double middle(const std::vector<Sample>& samples, Value Sample::*value, int tenth) {
  std::vector<double> some;
  for (std::size_t i = samples.size() * static_cast<std::size_t>(tenth) / 10;
       i < samples.size() * static_cast<std::size_t>(tenth + 1) / 10; ++i)
    some.push_back(static_cast<double>(samples[i].*value));
  if (some.empty()) return 0;
  std::nth_element(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2), some.end());
  return some[some.size() / 2];
}

// Every text of the session's log, whether a compaction took it out of the window or not.
std::string logged(const Store& store, std::uint64_t next) {
  std::string all;
  for (std::uint64_t id = 1; id < next; ++id)
    if (const auto item = store.item({id}))
      for (const auto& block : item->blocks)
        if (const auto* text = std::get_if<Text>(&block)) all += text->text + "\n";
  return all;
}

void count_lost(const soak::Folder& folder, const Seat& seat, const std::string& name) {
  const auto store = Store::open({.folder = folder.work / ".compression", .read_only = true});
  std::string why, log;
  double missing = 0, silent = 0, ids = 0;
  for (const auto& row : store->sessions())
    if (row.name == name && store->resume(row.id, why)) {
      log += logged(*store, store->next_item().value);
      for (const auto& original : store->originals(1'000'000)) {
        ++ids;
        silent += !store->text(original.id).has_value();
      }
    }
  for (const std::string& prompt : seat.said) {
    const bool there = log.find(prompt + "\n") != std::string::npos;
    if (!there) std::printf("missing: %s\n", prompt.c_str());
    missing += !there;
  }
  figure((name + ": prompts missing of " + std::to_string(seat.said.size())).c_str(), missing, "", "0",
         missing == 0);
  figure((name + ": originals that do not answer").c_str(), silent, "", "0", silent == 0);
  figure((name + ": originals").c_str(), ids, "", "> 0", ids > 0);
  figure((name + ": kills").c_str(), seat.kills, "", "", true);
  figure((name + ": requests over the window").c_str(), static_cast<double>(seat.refused), "", "0",
         seat.refused == 0);
}

void count_growth(const std::vector<Sample>& samples) {
  // The screen keeps the newest outputs whole, up to a limit that some 250 turns reach. Until then memory
  // grows, so a shorter run does not judge it.
  const bool judged = samples.size() >= 450;
  const double half = middle(samples, &Sample::resident, 4), last = middle(samples, &Sample::resident, 9);
  std::printf("memory, by tenths of the time, MB:");
  for (int tenth = 0; tenth < 10; ++tenth)
    std::printf(" %.1f", middle(samples, &Sample::resident, tenth) / 1e3);
  std::printf("\n");
  figure("memory, half way", half / 1e3, "MB", "", true);
  figure("memory, at the end", last / 1e3, "MB", judged ? "<= +10%" : "too short",
         !judged || last <= half * 1.1);
  const double open = middle(samples, &Sample::descriptors, 1),
               still = middle(samples, &Sample::descriptors, 9);
  figure("descriptors, at the beginning", open, "", "", true);
  figure("descriptors, at the end", still, "", "<= +2", still <= open + 2);
  const double alive = middle(samples, &Sample::processes, 1), left = middle(samples, &Sample::processes, 9);
  figure("processes, at the beginning", alive, "", "", true);
  figure("processes, at the end", left, "", "<= +3", left <= alive + 3);
}

}  // namespace

int main(int argc, char** argv) {
  const double minutes = argc > 1 ? std::atof(argv[1]) : 10;
  const unsigned seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : std::random_device{}();
  std::printf("soak: %g minutes, seed %u\n", minutes, seed);
  std::fflush(stdout);
  const soak::Folder folder;
  const auto end = Clock::now() + std::chrono::seconds(static_cast<int>(minutes * 60));
  Seat first(folder, "calm", seed, false), second(folder, "killed", seed + 1, true);
  {
    std::jthread beside([&] { second.work_until(end); });
    first.work_until(end);
  }
  for (const Seat* seat : {&first, &second}) {
    if (!seat->trouble.empty()) std::printf("TROUBLE: %s\n", seat->trouble.c_str()), ++failures;
    for (const auto& [what, times] : seat->turns) std::printf("  %4d  %s\n", times, what.c_str());
  }
  const int left = folder.left_after(std::chrono::seconds(10));
  figure("processes left", left, "", "0", left == 0 || !first.trouble.empty() || !second.trouble.empty());
  count_lost(folder, first, "calm");
  count_lost(folder, second, "killed");
  count_growth(first.samples);
  std::ifstream hooks(folder.work / "hooks.log");
  const auto heard = std::count(std::istreambuf_iterator<char>(hooks), {}, '\n');
  figure("events that hooks heard", static_cast<double>(heard), "", "> 0", heard > 0);
  figure("integrity of the store",
         Store::open({.folder = folder.work / ".compression", .read_only = true})->integrity() == "ok", "",
         "1", true);
  return failures == 0 ? 0 : 1;
}
