#include "ui/shell/login.h"

#include <memory>

#include "ui/shell/shell.h"
#include "ui/text/text_safe.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};
constexpr std::string_view no_server = "none found on :11434 :8080 :1234 :8000";

struct Way {
  std::string title, note;
  std::function<void(Shell&)> go;
};

std::vector<Way> ways(const LoginAsked& asked) {
  std::vector<Way> list;
  list.push_back(
      {"Paste a key", "Anthropic, OpenAI, Gemini, OpenRouter …", [](Shell& in) { open_key_entry(in, ""); }});
  for (const std::string& name : asked.served)
    list.push_back({"Use " + safe_text(name, Lines::one), "on this machine",
                    [name](Shell& in) { in.send(SetModel{name}); }});
  if (asked.served.empty())
    list.push_back({"Use a local server", std::string(no_server), [](Shell& in) { in.send(AskLogin{}); }});
  list.push_back({"Look around with the demo", "no model, real tools", [](Shell& in) {
                    if (in.view.meters.provider != "demo") in.send(SetModel{"demo/demo"});
                  }});
  return list;
}

// The last four letters tell people which key it is.
std::string masked(const std::string& key) {
  const std::size_t shown = key.size() > 12 ? 4 : 0;
  std::string text;
  for (std::size_t n = 0; n + shown < std::min<std::size_t>(key.size(), 40); ++n) text += "•";
  return text + key.substr(key.size() - shown);
}

Rows key_rows_of(const std::string& key, int width) {
  Rows rows;
  rows.push_back(RowBuilder()
                     .add("key  ")
                     .add(key.empty() ? "paste it here" : masked(key), key.empty() ? muted : Style{})
                     .take());
  rows.emplace_back();
  wrap_into(
      rows,
      RowBuilder()
          .add("It is tried with one request and kept in your config.json, readable by you only.", muted)
          .take(),
      width, "", "");
  return rows;
}

}  // namespace

void open_key_entry(Shell& shell, const std::string& wanted) {
  const std::string provider = wanted.substr(0, wanted.find('/'));
  if (shell.deps.screen == ScreenKind::plain)
    return shell.say("run \"tern login\" in the shell to enter a key", 10'000);
  const auto key = std::make_shared<std::string>();
  Overlay overlay;
  overlay.title = provider.empty() ? "Add a key" : "Add a key for " + provider;
  overlay.keys = {{"enter", "try and keep"}, {"ctrl-u", "clear"}, {"esc", "cancel"}};
  overlay.content = [key](int width) { return key_rows_of(*key, width); };
  overlay.paste = [key](Shell&, std::string_view text) {
    key->append(text);
    return true;
  };
  overlay.key = [key, wanted](Shell& in, const KeyPress& press) {
    if (press.key == Key::escape || (press.ctrl && press.text == "c")) return false;
    if (press.key == Key::character && press.ctrl && press.text == "u") key->clear();
    if (press.key == Key::enter && !key->empty()) {
      in.send(Login{wanted, *key});
      in.overlay.reset();  // and all that is captured here
      return true;
    }
    typed(*key, press);
    return true;
  };
  shell.overlay = std::move(overlay);
}

void open_login(Shell& shell, const LoginAsked& asked) {
  Overlay overlay;
  overlay.title = asked.first ? "No model yet: choose one" : "Choose a model";
  overlay.keys = {{"enter", "choose"}, {"r", "look for servers again"}, {"esc", "close"}};
  const auto list = std::make_shared<const std::vector<Way>>(ways(asked));
  std::size_t number = 0;
  for (const Way& way : *list)
    overlay.items.push_back(std::to_string(++number) + "  " + way.title + note_mark + way.note);
  overlay.chosen = [list](Shell& in, std::size_t index) { (*list)[index].go(in); };
  overlay.key = [list](Shell& in, const KeyPress& press) {
    if (press.key != Key::character || press.ctrl || press.alt || press.text.size() != 1) return false;
    const char letter = press.text[0];
    const auto index = static_cast<std::size_t>(letter - '1');
    if (letter != 'r' && (letter < '1' || index >= list->size())) return false;
    std::function<void(Shell&)> go = [](Shell& again) { again.send(AskLogin{}); };
    if (letter != 'r') go = (*list)[index].go;
    in.overlay.reset();  // the list goes with it
    go(in);
    return true;
  };
  shell.overlay = std::move(overlay);
}

}  // namespace tern
