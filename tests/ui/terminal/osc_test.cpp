#include "ui/terminal/osc.h"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>

#include "ui/terminal/painter.h"
#include "ui/text/links.h"

using namespace tern;

namespace {
TerminalTraits traits_of(std::map<std::string, std::string> variables, const TerminalWishes& wishes = {}) {
  return terminal_traits(
      [&](const char* name) -> std::string_view {
        const auto found = variables.find(name);
        return found == variables.end() ? std::string_view() : std::string_view(found->second);
      },
      wishes);
}

// Not one control byte but those of the sequence itself.
bool clean(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  return true;
}
}  // namespace

TEST_CASE("a terminal is told only what it understands or ignores") {
  const TerminalTraits xterm = traits_of({{"TERM", "xterm-256color"}});
  CHECK(xterm.title);
  CHECK_FALSE(xterm.links);
  CHECK_FALSE(xterm.progress);
  CHECK(xterm.notify == NotifyBy::bell);
  const TerminalTraits console = traits_of({{"TERM", "linux"}});
  CHECK_FALSE(console.title);
  CHECK_FALSE(console.links);
  const TerminalTraits kitty = traits_of({{"TERM", "xterm-kitty"}});
  CHECK(kitty.links);
  CHECK(kitty.notify == NotifyBy::osc99);
  const TerminalTraits ghostty = traits_of({{"TERM", "xterm-ghostty"}});
  CHECK(ghostty.progress);
  CHECK(ghostty.notify == NotifyBy::osc777);
  CHECK(traits_of({{"TERM", "xterm-256color"}, {"TERM_PROGRAM", "iTerm.app"}}).notify == NotifyBy::osc9);
  CHECK_FALSE(traits_of({{"TERM", "xterm"}, {"TERM_PROGRAM", "iTerm.app"}, {"TERM_PROGRAM_VERSION", "3.5.1"}})
                  .progress);
  CHECK(traits_of({{"TERM", "xterm"}, {"TERM_PROGRAM", "iTerm.app"}, {"TERM_PROGRAM_VERSION", "3.6.6"}})
            .progress);
  CHECK(traits_of({{"TERM", "xterm-256color"}, {"VTE_VERSION", "7000"}}).links);
}

TEST_CASE("behind tmux the terminal around it is meant, where it can be known") {
  std::map<std::string, std::string> inside{{"TERM", "tmux-256color"},
                                            {"TMUX", "/tmp/t,1,0"},
                                            {"TERM_PROGRAM", "tmux"},
                                            {"TERM_PROGRAM_VERSION", "3.3a"}};
  CHECK(traits_of(inside).notify == NotifyBy::bell);
  CHECK_FALSE(traits_of(inside).links);
  inside["TERM_PROGRAM_VERSION"] = "3.4";
  inside["KITTY_WINDOW_ID"] = "1";
  const TerminalTraits kitty = traits_of(inside);
  CHECK(kitty.links);
  CHECK_FALSE(kitty.progress);
  const std::string bytes = notify_sequence("t", "b", kitty);
  CHECK(bytes.starts_with("\x1bPtmux;\x1b\x1b]99;"));
  CHECK(bytes.ends_with("\x1b\\\a"));
}

TEST_CASE("a setting is stronger than what is known of the terminal") {
  const TerminalWishes none{
      .title = false, .links = Allowed::never, .progress = Allowed::never, .notify = NotifyBy::never};
  const TerminalTraits kitty = traits_of({{"TERM", "xterm-kitty"}}, none);
  CHECK_FALSE(kitty.title);
  CHECK_FALSE(kitty.links);
  CHECK(notify_sequence("t", "b", kitty).empty());
  CHECK(traits_of({{"TERM", "xterm"}}, {.links = Allowed::always}).links);
  CHECK(notify_by("osc9") == NotifyBy::osc9);
  CHECK(allowed_by("always") == Allowed::always);
}

TEST_CASE("nothing that is said ends a sequence or begins another") {
  const std::string hostile = "a\x1b]0;evil\a\x1b\\b\x9c\r\nc;d\x07 e";
  const std::string title = title_sequence(hostile);
  CHECK(clean(std::string_view(title).substr(4, title.size() - 5)));
  CHECK(title.size() < 400);
  CHECK(title_sequence(std::string(100'000, 'x')).size() < 100);
  for (const NotifyBy by : {NotifyBy::osc9, NotifyBy::osc777}) {
    std::string bytes = notify_sequence(hostile, hostile, {.notify = by});
    bytes.resize(bytes.size() - (by == NotifyBy::osc9 ? 1 : 2));
    CHECK(clean(std::string_view(bytes).substr(1)));
  }
}

TEST_CASE("a link leads where it says, over a wrapped line too, and the terminal is told its end") {
  allow_links(true);
  const std::uint16_t link = web_link("https://example.org/a");
  REQUIRE(link != 0);
  CHECK(web_link("https://example.org/a") == link);
  CHECK(web_link("javascript:alert(1)") == 0);
  CHECK(web_link("file:///etc/passwd") == 0);
  CHECK(web_link("https://a/\x1b\\") == 0);
  CHECK(web_link("https://a/b c") == 0);
  CHECK(link_target(file_link("/home/ann/a b;中.txt")).ends_with("/home/ann/a%20b%3B%E4%B8%AD.txt"));
  CHECK(file_link("relative") == 0);

  Painter painter;
  const Theme theme = make_theme("dark", ColourDepth::truecolor, Background::dark);
  ftxui::Screen screen = blank_screen(30, 2);
  draw_row(screen,
           RowBuilder().add("see ").add("here", Style{.underline = true, .link = link}).add(" now").take(),
           theme, 0, 0, 30);
  const std::string bytes = painter.paint(screen, {0, 0});
  const std::size_t begin = bytes.find("\x1b]8;id=t1;https://example.org/a\x1b\\"),
                    end = bytes.find("\x1b]8;;\x1b\\");
  REQUIRE(begin != bytes.npos);
  CHECK(bytes.find("here") > begin);
  CHECK(end > bytes.find("here"));
  CHECK(painter.paint(screen, {0, 0}).empty());
  allow_links(false);
  CHECK(web_link("https://example.org/a") == 0);
}
