// A scripted day of work through a small window: thousands of turns in one session, restarts, kill -9, a
// small model that fails for an hour, a provider that refuses a length. Each life is a program of its own
// (threads do not survive a fork); what it acknowledged is checked after it.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/agent/turn/day_life.h"
#include "tests/agent/turn/day_provider.h"
#include "tests/agent/turn/day_verify.h"

namespace tern::test {

// Runs the whole day: six lives, two of them ended by kill -9.
DayReport run_day(const Day& day);

namespace day_of_work {

inline constexpr char life_variable[] = "TERN_DAY_LIFE";

struct Life {
  int last = -1, status = 0, refused = 0, overflows = 0;
  long rss = 0;
  long long sent = 0;
  std::size_t swapped = 0, waited = 0;
};

inline Life one_life(const Day& day, int from, int to, bool murder) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  std::ostringstream told;
  told << day.turns << ' ' << day.window << ' ' << day.words << ' ' << from << ' ' << to << ' ' << ends[1]
       << ' ' << day.folder.string();
  ::setenv(life_variable, told.str().c_str(), 1);
  const auto child = ::fork();
  if (child == 0) {
    ::setenv("TMPDIR", day.folder.c_str(), 1);  // what a killed life leaves goes with the day
    ::execl("/proc/self/exe", "life", "one life of the day of work", "--out", "/dev/null", nullptr);
    ::_exit(127);
  }
  ::unsetenv(life_variable);
  ::close(ends[1]);
  Life life;
  std::string line;
  for (char c; ::read(ends[0], &c, 1) == 1;) {
    if (c != '\n') {
      line += c;
      continue;
    }
    std::sscanf(line.c_str(), "%d %ld %d %d %lld %zu %zu", &life.last, &life.rss, &life.refused,
                &life.overflows, &life.sent, &life.swapped, &life.waited);
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

}  // namespace day_of_work

// What a program that one_life() started is to do first; -1 in any other.
inline int live_if_told() {
  const char* told = std::getenv(day_of_work::life_variable);
  if (!told) return -1;
  Day day;
  int from = 0, to = 0, pipe = -1;
  std::istringstream words(told);
  words >> day.turns >> day.window >> day.words >> from >> to >> pipe >> std::ws;
  std::string folder;
  std::getline(words, folder);
  day.folder = folder;
  return day_of_work::live(day, from, to, pipe);
}

inline DayReport run_day(const Day& day) {
  using namespace day_of_work;
  DayReport report;
  std::filesystem::create_directories(day.folder);
  int next = 0;
  for (int i = 0; i < lives && report.broken.empty(); ++i) {
    const int to = day.turns * (i + 1) / lives;
    const bool murder = i == 1 || i == 3;
    const auto life = one_life(day, next, to, murder);
    if (!murder && life.status != 0) report.broken = "life " + std::to_string(i) + " ended with a failure";
    if (life.last >= 0) next = life.last + 1;
    ++(murder ? report.kills : report.restarts);
    report.refused += life.refused;
    report.overflows += life.overflows;
    report.sent += life.sent;
    report.swapped += life.swapped;
    report.waited += life.waited;
    report.last_rss = life.rss;
    if (report.first_rss == 0) report.first_rss = life.rss;
    verify(day, next - 1, report);
  }
  report.turns = next;
  return report;
}

}  // namespace tern::test
