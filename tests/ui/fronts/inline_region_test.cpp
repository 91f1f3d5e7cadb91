// --inline: what is finished is written once, the region below is drawn again, and a resize clears nothing
// that is not ours.
#include "ui/fronts/inline_region.h"

#include "tests/support/vt.h"
#include "tests/ui/world.h"

using namespace tern;

namespace {

struct Inline : World {
  InlineRegion region;
  Vt vt{80, 24};
  Inline() {
    deps.screen = ScreenKind::inline_region;
    vt.feed("$ an earlier command of the shell\r\n");
  }
  std::string frame(int columns, int lines) {
    std::string bytes = region.frame(shell, {columns, lines});
    vt.feed(bytes);
    return bytes;
  }
  int count(std::string_view words) {
    const std::string text = vt.text();
    int n = 0;
    for (std::size_t at = 0; (at = text.find(words, at)) != std::string::npos; ++at) ++n;
    return n;
  }
};

}  // namespace

TEST_CASE("inline: model and mode are always in sight") {
  Inline world;
  world.meters(0.3);
  world.frame(80, 24);
  CHECK(world.count("claude-sonnet-4-5 · main*") == 1);
  CHECK(world.count("ask · shift-tab") == 1);
}

TEST_CASE("inline: a resize keeps the terminal's own lines and says nothing twice") {
  Inline world;
  world.meters(0.3);
  world.user("a question");
  world.answer("an answer");
  world.frame(80, 24);
  for (const int columns : {60, 30, 100, 80}) {
    INFO(columns);
    world.vt.resize(columns, 24);
    const std::string bytes = world.frame(columns, 24);
    CHECK(bytes.find("\x1b[3J") == std::string::npos);
    CHECK(bytes.find("\x1b[2J") == std::string::npos);
    CHECK(bytes.find("A\x1b[J") == std::string::npos);  // tmux keeps what is cleared from the first line on
    INFO(world.vt.text());
    CHECK(world.count("$ an earlier command") == 1);
    CHECK(world.count("a question") == 1);
    CHECK(world.count("an answer") == 1);
    CHECK(world.count("╭") == 1);
    CHECK(world.count("╰") == 1);
  }
}

TEST_CASE("inline: a terminal that breaks its lines anew has made more of the region") {
  Inline world;
  world.meters(0.3);
  world.shell.composer.set("a draft");
  world.frame(80, 24);
  world.region.set_reflows(true);
  // The frame of 80 columns became two lines above the cursor's, which stands in column 11.
  CHECK(world.frame(40, 24).starts_with("\x1b[?2026h\x1b[?25l\r\x1b[2A\x1b[2K\x1b[B\x1b[J\x1b[A"));
  CHECK(world.frame(80, 24).starts_with("\x1b[?2026h\x1b[?25l\r\x1b[1A\x1b[2K\x1b[B\x1b[J\x1b[A"));
  CHECK(world.frame(11, 24).starts_with("\x1b[?2026h\x1b[?25l\r\x1b[9A\x1b[2K\x1b[B\x1b[J\x1b[A"));
}

TEST_CASE("inline: who breaks lines anew is known without an answer, and in doubt nobody does") {
  using Variables = std::vector<std::pair<std::string_view, std::string_view>>;
  const auto reflows = [](const Variables& variables) {
    return reflows_by_name([&](const char* name) {
      for (const auto& [known, value] : variables)
        if (known == name) return value;
      return std::string_view();
    });
  };
  CHECK_FALSE(reflows({}));
  CHECK_FALSE(reflows({{"TERM", "xterm-256color"}}));
  CHECK_FALSE(reflows({{"TERM", "linux"}}));
  CHECK_FALSE(reflows({{"TERM", "screen"}, {"STY", "1.pts"}, {"TERM_PROGRAM", "iTerm.app"}}));
  CHECK_FALSE(reflows({{"XTERM_VERSION", "XTerm(379)"}, {"VTE_VERSION", "7200"}}));
  CHECK(reflows({{"TERM", "screen-256color"}, {"TMUX", "/tmp/tmux-0/default,1,0"}}));
  CHECK(reflows({{"TERM", "xterm-256color"}, {"TERM_PROGRAM", "Apple_Terminal"}}));
  CHECK(reflows({{"TERM", "xterm-256color"}, {"VTE_VERSION", "6003"}}));
  CHECK(reflows({{"TERM", "alacritty"}}));
}

TEST_CASE("inline: nothing of the region is left behind, and it comes back whole") {
  Inline world;
  world.meters(0.3);
  world.user("a question");
  world.answer("an answer");
  world.frame(80, 24);
  world.vt.feed(world.region.leave() + "$ the shell\r\n");
  CHECK(world.count("╭") == 0);
  CHECK(world.count("ask · claude-sonnet") == 0);
  CHECK(world.count("an answer") == 1);
  world.frame(80, 24);
  CHECK(world.count("╭") == 1);
  CHECK(world.count("an answer") == 1);
}

TEST_CASE(
    "inline: the frame has its right edge, and what is finished stands on lines that were cleared whole") {
  Inline world;
  world.meters(0.3);
  world.frame(80, 24);
  world.user("a question");
  world.answer("an answer");
  const std::string bytes = world.frame(80, 24);
  CHECK(world.count("╮") == 1);
  CHECK(world.count("╯") == 1);
  for (const char* said : {"a question", "an answer"}) {
    const std::size_t at = bytes.find(said), line = bytes.rfind('\n', at);
    REQUIRE(at != std::string::npos);
    CHECK(bytes.compare(line == std::string::npos ? bytes.find("\x1b[2K") : line + 1, 4, "\x1b[2K") == 0);
  }
}
