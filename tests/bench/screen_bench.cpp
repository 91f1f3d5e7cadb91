// What the screen costs: frames in this process over 100 and 100,000 transcript lines, and the real program
// on a pseudo-terminal with a model server beside it. Rows: what, value, unit, bar. Run it on a quiet
// machine.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/support/fake_llm.h"
#include "tests/support/places.h"
#include "tests/support/pty.h"
#include "ui/commands/builtin_commands.h"
#include "ui/fronts/screen.h"
#include "ui/shell/keys.h"
#include "ui/terminal/painter.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
double since_ms(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void row(const std::string& what, double value, const char* unit, const char* bar) {
  std::printf("%s\t%.3f\t%s\t%s\n", what.c_str(), value, unit, bar);
  std::fflush(stdout);
}

double share_of(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values.empty()
             ? 0
             : values[std::min(values.size() - 1,
                               static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

// ------------------------------------------------------------ frames
struct World {
  Mailbox<Command> commands;
  Mailbox<Event> events;
  UiDeps deps{.commands = commands,
              .events = events,
              .interrupt = [] {},
              .on_wake = [](std::function<void()>) {},
              .cwd = "/src",
              .home = "/",
              .version = "0"};
  Shell shell{deps, builtin_commands(), [] {}};
  Canvas canvas;
  Painter painter;
  std::size_t bytes = 0;

  explicit World(int lines) {
    shell.theme = make_theme("dark", ColourDepth::truecolor, Background::dark);
    for (int i = 0; i < lines / 20; ++i) {
      std::string text;
      for (int k = 0; k < 20; ++k)
        text += "- line " + std::to_string(i * 20 + k) + " with a few words of *text* and `code`\n";
      fold(shell.view, Delta{DeltaKind::text, text}, 0);
      fold(shell.view, TurnEnded{}, 0);
    }
  }
  void frame() {
    const Caret caret = draw(shell, {200, 50}, canvas);
    bytes += painter.paint(canvas.screen(), caret, canvas.changed()).size();
    canvas.painted();
  }
};

void key_frames(int lines) {
  World world(lines);
  world.frame();
  constexpr int frames = 400;
  const auto start = Clock::now();
  for (int i = 0; i < frames; ++i) {
    KeyPress key;
    key.text = "x";
    handle_input(world.shell, key);
    if (i % 40 == 39) world.shell.composer.set("");
    world.frame();
  }
  row("frame after a key, " + std::to_string(lines) + " lines", since_ms(start) / frames, "ms", "<= 1.5");
}

void scroll_frames() {
  World world(100'000);
  world.frame();
  constexpr int frames = 400;
  const auto start = Clock::now();
  for (int i = 0; i < frames; ++i) {
    world.shell.transcript.scroll(i < frames / 2 ? -3 : 3);
    world.frame();
  }
  row("frame while scrolling, 100000 lines", since_ms(start) / frames, "ms", "<= 1.5");
}

void stream_frames() {
  World world(100'000);
  world.frame();
  world.bytes = 0;
  constexpr int tokens = 20'000, tokens_a_frame = 17;
  const auto start = Clock::now();
  int frames = 0;
  for (int i = 0; i < tokens; ++i) {
    fold(world.shell.view, Delta{DeltaKind::text, i % 90 == 89 ? ".\n\n" : "token "}, i);
    if (i % tokens_a_frame != 0) continue;
    world.frame();
    ++frames;
  }
  row("frame while streaming, 100000 lines", since_ms(start) / frames, "ms", "<= 1.5");
  row("bytes a token, in this process", static_cast<double>(world.bytes) / tokens, "bytes", "<= 20");
}

// A command that says 100 MB/s: what its tail costs the screen for one second of it.
void command_frames() {
  World world(100'000);
  fold(world.shell.view, ToolStarted{"c", "Bash", "Bash", "yes", "{}"}, 0);
  world.frame();
  std::string piece;
  while (piece.size() < 64 << 10) piece += "a line of output of a command that cannot stop\n";
  const auto start = Clock::now();
  constexpr int frames = 60, pieces = 1'600;
  for (int i = 0; i < pieces; ++i) {
    fold(world.shell.view, ToolProgress{"c", piece}, 0);
    if (i % (pieces / frames) == 0) world.frame();
  }
  row("screen's share of a second of a 100 MB/s command", since_ms(start), "ms", "<= 300");
}

// ------------------------------------------------------------ the real program
struct Usage {
  double cpu_s = 0;
  long switches = 0, rss_kb = 0;
};

Usage usage_of(pid_t pid) {
  Usage usage;
  std::error_code ignored;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(pid) + "/task", ignored)) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("voluntary_ctxt_switches:")) usage.switches += std::atol(line.c_str() + 24);
  }
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) usage.rss_kb = std::atol(line.c_str() + 6);
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string skip;
  for (int i = 0; i < 11; ++i) fields >> skip;
  long user = 0, system = 0;
  fields >> user >> system;
  usage.cpu_s = static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return usage;
}

struct Program {
  fs::path folder;
  test::FakeLlm server;
  std::unique_ptr<Pty> pty;
  double started_ms = 0;
  int typed = 0;

  explicit Program(const std::string& scenario) : server(scenario) {
    char name[] = "/tmp/tern-screen-XXXXXX";
    folder = mkdtemp(name);
    fs::create_directories(folder / "home/.config/tern");
    fs::create_directories(folder / "project");
    std::ofstream(folder / "home/.config/tern/config.json")
        << "{\"trusted\": [\"" << (folder / "project").string() << "\"]}";
    const auto start = Clock::now();
    pty = std::make_unique<Pty>(
        std::vector<std::string>{places::program(), "--model", "sonnet", "--window", "200000"},
        Pty::Options{.columns = 200,
                     .lines = 50,
                     .cwd = (folder / "project").string(),
                     .environment = {{"HOME", (folder / "home").string()},
                                     {"TERM", "xterm-256color"},
                                     {"LANG", "C.UTF-8"},
                                     {"ANTHROPIC_API_KEY", "none"},
                                     {"ANTHROPIC_BASE_URL", server.url()}},
                     .deadline_seconds = 120});
    pty->until_text("❯");
    started_ms = since_ms(start);
    pty->until_text("180k");
  }
  ~Program() {
    pty.reset();
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  // From the key to the bytes that hold its letter; letters that stand nowhere else on the screen.
  double echo() {
    const int code = 0x4E00 + 37 * typed++;
    const char bytes[] = {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
                          static_cast<char>(0x80 | (code & 0x3F)), 0};
    const std::size_t from = pty->raw().size();
    const auto start = Clock::now();
    pty->send(bytes);
    pty->until([&](const Vt&) { return pty->raw().find(bytes, from) != std::string::npos; });
    return since_ms(start);
  }
  std::vector<double> echoes(int count, int gap_ms) {
    std::vector<double> all;
    for (int i = 0; i < count; ++i) {
      const auto next = Clock::now() + std::chrono::milliseconds(gap_ms);
      all.push_back(echo());
      pty->until([&](const Vt&) { return Clock::now() >= next; });
      if (i % 40 == 39) pty->send("\x15");
    }
    pty->send("\x15");
    return all;
  }
};

void echo_rows(const std::string& where, const std::vector<double>& echoes, const char* median,
               const char* p95) {
  row("key to echo, " + where + ", median", share_of(echoes, 0.5), "ms", median);
  row("key to echo, " + where + ", p95", share_of(echoes, 0.95), "ms", p95);
}

std::string tokens(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += i % 90 == 89 ? "end.\\n\\n" : "token ";
  return text;
}

void start_and_idle() {
  std::vector<double> starts;
  for (int i = 0; i < 10; ++i) starts.push_back(Program("{}").started_ms);
  row("start to prompt on the screen, median of 10", share_of(starts, 0.5), "ms", "<= 30");
  Program program("{}");
  echo_rows("empty", program.echoes(100, 20), "<= 1", "<= 4");
  program.pty->until_text("180k");
  const auto quiet = Clock::now() + std::chrono::seconds(5);
  program.pty->until([&](const Vt&) { return Clock::now() >= quiet; });  // hints and searches end
  const Usage before = usage_of(program.pty->pid());
  const auto end = Clock::now() + std::chrono::seconds(5);
  program.pty->until([&](const Vt&) { return Clock::now() >= end; });
  const Usage after = usage_of(program.pty->pid());
  row("idle: wake-ups a second", static_cast<double>(after.switches - before.switches) / 5, "1/s", "<= 0.2");
  row("idle: resident memory", static_cast<double>(after.rss_kb) / 1024, "MB", "<= 20");
}

void streaming() {
  Program program("{\"replies\":[{\"text\":\"" + tokens(20'000) + "finis\",\"pieces\":6,\"delay_ms\":1}]}");
  const Usage before = usage_of(program.pty->pid());
  const std::size_t bytes = program.pty->raw().size();
  program.pty->send("go\r");
  program.pty->until_text("token");
  program.pty->until_text("finis");
  const Usage after = usage_of(program.pty->pid());
  row("20,000 tokens at 1,000/s: CPU", after.cpu_s - before.cpu_s, "s", "<= 1");
  row("20,000 tokens at 1,000/s: bytes a token",
      static_cast<double>(program.pty->raw().size() - bytes) / 20'000, "bytes", "<= 20");
}

void echo_while_busy() {
  {
    Program program("{\"replies\":[{\"text\":\"" + tokens(10'000) + "finis\",\"pieces\":6,\"delay_ms\":1}]}");
    program.pty->send("go\r");
    program.pty->until_text("token");
    echo_rows("while streaming 1,000 tokens/s", program.echoes(150, 23), "<= 2", "<= 4");
  }
  {
    Program program("{}");
    program.pty->send(
        "!timeout 6 sh -c 'while :; do head -c 10000000 /dev/zero | tr \"\\\\0\" x | fold -w 99; sleep 0.1; "
        "done'\r");
    program.pty->until_text("xxxxxxxxxx");
    echo_rows("while a command says 100 MB/s", program.echoes(100, 23), "<= 2", "<= 4");
  }
}

void flood() {
  std::string text;
  for (int i = 0; i < 2'000; ++i)
    text += "line " + std::to_string(i) + " " + std::string(150, 'y') + "\\n\\n";
  Program program("{\"replies\":[{\"text\":\"" + text + "finis\",\"pieces\":2000}]}");
  const auto start = Clock::now();
  program.pty->send("go\r");
  program.pty->until_text("finis");
  row("2,000 long lines at full speed until still", since_ms(start) / 1'000, "s", "<= 0.25");
}

}  // namespace

int main() {
  for (const int lines : {100, 10'000, 100'000}) key_frames(lines);
  scroll_frames();
  stream_frames();
  command_frames();
  if (!fs::exists(places::program())) return std::puts("the program is not built: its rows are left out"), 0;
  start_and_idle();
  echo_while_busy();
  streaming();
  flood();
  return 0;
}
