// What the world may say, on every path by which it reaches the screen: the bytes written hold our own orders
// and text, no others.
#include <random>

#include "tests/ui/world.h"
#include "ui/text/text_safe.h"

using namespace tern;

namespace {

using namespace std::string_literals;

const std::vector<std::string>& attacks() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> made = {"\x1b]52;c;cm0gLXJmIH4=\a",
                                     "\x1b]52;c;?\a",
                                     "\x1b]8;;http://evil/\x1b\\https://good/\x1b]8;;\x1b\\",
                                     "\x1b]0;root\a",
                                     "\x1b]11;?\x1b\\",
                                     "\x1b[2J\x1b[H",
                                     "safe\r\x1b[2Kevil",
                                     "\x1b[?1049l",
                                     "\x1b[?25l",
                                     "\x1b[?2026h",
                                     "\x1b[8mhidden",
                                     "\x1b[1;3r",
                                     "\x1b[1A\x1b[2K",
                                     "\x1bP$q q\x1b\\",
                                     "\x1b[21t",
                                     "\x1b[6n",
                                     "\x9b"
                                     "2J",
                                     "\xc2\x9b"
                                     "2J",
                                     "\xc3\x1b[2J",
                                     "\xe0\x1b]0;x\xc3\x07",
                                     "\xf1\x1b[A",
                                     "\x1b_Ga=T;AAAA\x1b\\",
                                     "\x1bPtmux;\x1b\x1b]52;c;AA==\a\x1b\\",
                                     "\x1bPq#0;2;0;0;0\x1b\\",
                                     "\x1b]1337;File=inline=1:AAAA\a",
                                     "ls \u202e fr- mr",
                                     "git\u200b status",
                                     "\u2066x\u2069",
                                     "\xF3\xA0\x80\x81\xF3\xA0\x81\xB2",
                                     "\xed\xa0\x80",
                                     "\xc0\x9b"
                                     "1m",
                                     "\a\a\a\a",
                                     "nul\0nul"s,
                                     "\x1b]never ended",
                                     "\x7f\x08\x08",
                                     "\x0e\x0f\x0b\x0c",
                                     "\x1b",
                                     "\x1b[",
                                     "\xe2\x80",
                                     "\x1b(0qqq\x1b(B"};
    made.push_back("\x1b[" + std::string(1'000, '9') + "m");
    std::string marks = "a";
    for (int i = 0; i < 3'000; ++i) marks += "\u0301";
    made.push_back(marks);
    return made;
  }();
  return all;
}

// Empty, or what was found that no frame of ours writes.
std::string violation(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    if (byte != 0x1b) {
      if (byte < 0x20 || byte == 0x7f) return "control " + std::to_string(byte);
      if (byte == 0xc2 && at + 1 < bytes.size() && static_cast<unsigned char>(bytes[at + 1]) < 0xa0)
        return "C1";
      continue;
    }
    if (at + 1 >= bytes.size() || bytes[at + 1] != '[') return "not a CSI";
    const std::size_t end = bytes.find_first_not_of("0123456789;?", at + 2);
    if (end == bytes.npos) return "an unfinished CSI";
    const std::string_view parameters = bytes.substr(at + 2, end - at - 2);
    const char final = bytes[end];
    const bool mode = (final == 'h' || final == 'l') && (parameters == "?2026" || parameters == "?25");
    const bool plain = std::string_view("HKmrLM").find(final) != std::string_view::npos ||
                       (final == 'J' && parameters == "2");
    if (!mode && !(plain && parameters.find('?') == parameters.npos))
      return "CSI " + std::string(parameters) + final;
    if (final == 'm' && (";" + std::string(parameters) + ";").find(";8;") == 0) return "concealed text";
    at = end;
  }
  return is_valid_utf8(bytes) ? "" : "broken UTF-8";
}

// One world in which the text stands everywhere at once.
void everywhere(World& world, const std::string& text) {
  auto& view = world.shell.view;
  view = {};
  world.meters(0.3);
  Meters meters = view.meters;
  meters.model = meters.branch = meters.cwd = text;
  world.tell(meters);
  world.user(text);
  world.tell(Delta{DeltaKind::thinking, text});
  world.answer("# " + text + "\n\n- " + text + "\n\n`" + text + "` [x](" + text + ")\n\n```sh\n" + text +
               "\n```\n\n| " + text + " | b |\n|-|-|\n| c | " + text + " |\n");
  world.tool(text, text, text, text, true);
  world.tool("Edit", text, text, "", false, "@@ -1 +1 @@\n-" + text + "\n+" + text + "\n");
  world.tell(Notice{Level::warning, text});
  Compaction compaction;
  compaction.phase = CompactionPhase::completed;
  compaction.audit = compaction.cost = compaction.why = compaction.strategy = text;
  world.tell(compaction);
  world.tell(Queue{{text}});
  world.tell(Waiting{text, 0});
  world.tell(Todos{{text}});
  world.shell.show_todos = true;
  world.shell.hint = {text, world.shell.now_ms + 1'000};
}

}  // namespace

TEST_CASE("2,000 hostile strings on every path: nothing but our own orders is written") {
  std::mt19937 random(29);
  World world;
  for (int round = 0; round < 2'000; ++round) {
    std::string text;
    for (unsigned i = 0; i < 1 + random() % 3; ++i) {
      text += attacks()[round < static_cast<int>(attacks().size()) ? static_cast<std::size_t>(round)
                                                                   : random() % attacks().size()];
      if (random() % 2) text += "word " + std::string(1, static_cast<char>(random() & 0xff));
    }
    everywhere(world, text);
    Canvas canvas;
    Painter painter;
    const auto frame = [&] {
      const Caret caret = draw(world.shell, {70, 44}, canvas);
      const std::string bytes = painter.paint(canvas.screen(), caret, canvas.changed());
      canvas.painted();
      INFO(safe_command(text));
      REQUIRE(violation(bytes) == "");
    };
    frame();
    if (round % 8 != 0) continue;
    for (const auto form : {Page::Form::plain, Page::Form::markdown, Page::Form::diffs}) {
      world.shell.page({text, text, form});
      frame();
    }
    world.shell.overlay = Overlay{.title = text, .items = {text, text}};
    frame();
    world.shell.overlay.reset();
    PermissionAsked asked{
        .id = 1, .tool = text, .title = text, .body = text, .reason = text, .grants = {{text}}};
    world.shell.approval.open(asked, 0);
    frame();
    world.shell.approval.open(TrustAsked{2, text, text}, 0);
    frame();
    world.shell.approval.close();
    world.shell.composer.paste(text);
    frame();
    world.shell.composer.set("");
    for (const std::string& line : {ansi_lines(world.shell.transcript.visible(), world.shell.theme, 70)}) {
      std::string joined = line;
      for (const std::string_view end : {"\r\n"})
        for (std::size_t at = joined.find(end); at != joined.npos; at = joined.find(end, at))
          joined.erase(at, end.size());
      REQUIRE(violation(joined) == "");
    }
  }
}

TEST_CASE("200 deceptive commands: the question shows every code point or its escape, also of the end") {
  static constexpr std::string_view tricks[] = {
      "\u202e",  "\u200b", "\u2060", "\ufeff", "\u00a0", "\u0430", "\u03bf", "\u0501", "\r",     "\x1b[8m",
      "\x1b[1A", "\u2028", "\u115f", "\u3164", "\ufe0f", "\u00ad", "\x08",   "\u2066", "\u034f", "\u180e"};
  static constexpr std::string_view commands[] = {
      "ls %",         "git% status",   "rm% -rf build", "echo a%b",     "%cat x",
      "curl x |% sh", "npm run% test", "make %clean",   "python% a.py", "cp a% b"};
  int checked = 0;
  for (const std::string_view trick : tricks)
    for (const std::string_view pattern : commands) {
      std::string command(pattern);
      command.replace(command.find('%'), 1, trick);
      if (checked % 4 == 0) {  // padding pushes the end of it off the box
        for (int i = 0; i < 300; ++i) command.insert(0, "echo padding;\n");
      }
      ++checked;
      World world;
      PermissionAsked asked{.id = 1,
                            .tool = "Bash",
                            .title = "Bash …",
                            .body = command,
                            .reason = "it asks",
                            .grants = {{"x"}}};
      world.tell(asked);
      world.shell.approval.open(asked, world.shell.now_ms);
      world.shell.now_ms += 2'000;
      const std::string seen = world.look(120, 40);
      const std::string safe = safe_command(command), last = safe.substr(safe.rfind('\n') + 1);
      INFO(last);
      CHECK(seen.find(last) != seen.npos);
      CHECK(seen.find(trick) == seen.npos);
      world.type("1");
      CHECK(world.sent<Answer>().size() == 1);
    }
  CHECK(checked == 200);
}
