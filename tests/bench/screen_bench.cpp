// What a frame costs: 100 and 100,000 transcript lines, a stream of deltas, a key. Times are of one run and meant as ratios.
#include <chrono>
#include <cstdio>

#include "ui/keys.h"
#include "ui/painter.h"
#include "ui/screen.h"

using namespace tern;

namespace {

using Clock = std::chrono::steady_clock;
double since_ms(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

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
  Shell shell{deps, [] {}};
  Canvas canvas;
  Painter painter;
  std::size_t bytes = 0;

  explicit World(int lines) {
    shell.theme = make_theme("dark", ColourDepth::truecolor, Background::dark);
    for (int i = 0; i < lines / 20; ++i) {
      std::string text;
      for (int k = 0; k < 20; ++k) text += "- line " + std::to_string(i * 20 + k) + " with a few words of *text* and `code`\n";
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

}  // namespace

int main() {
  std::printf("%-44s %10s %12s\n", "screen 200x50", "ms/frame", "bytes/frame");
  double base = 0;
  for (const int lines : {100, 10'000, 100'000}) {
    World world(lines);
    world.frame();
    world.bytes = 0;
    constexpr int frames = 200;
    const auto start = Clock::now();
    for (int i = 0; i < frames; ++i) {
      KeyPress key;
      key.text = "x";
      handle_input(world.shell, key);
      if (i % 40 == 39) world.shell.composer.set("");
      world.frame();
    }
    const double ms = since_ms(start) / frames;
    if (base == 0) base = ms;
    std::printf("key to frame, %7d lines (x%.2f)             %10.3f %12.1f\n", lines, ms / base, ms,
                static_cast<double>(world.bytes) / frames);
  }
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
  const double ms = since_ms(start);
  std::printf("stream of %d tokens: %.0f ms in all, %.3f ms a frame, %.1f bytes a token\n", tokens, ms, ms / frames,
              static_cast<double>(world.bytes) / tokens);
  return 0;
}
