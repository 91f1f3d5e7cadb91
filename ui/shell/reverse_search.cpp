#include "ui/shell/reverse_search.h"

#include "ui/shell/overlay.h"
#include "ui/shell/shell.h"

namespace tern {
namespace {

void show(Shell& shell, std::size_t hit) {
  shell.reverse_at = hit;
  shell.reverse_missed = false;
  shell.composer.set(shell.history.entries()[hit]);
}

void find_older(Shell& shell, bool again) {
  const bool asked = again || !shell.reverse->empty();
  if (const auto hit = asked ? shell.history.find(*shell.reverse, shell.reverse_at) : std::nullopt)
    return show(shell, *hit);
  if (again && !shell.reverse_missed) return;  // what is shown is the oldest that holds it
  shell.reverse_missed = asked;
  shell.composer.set(shell.reverse_draft);
}

}  // namespace

void start_reverse(Shell& shell) {
  shell.completion.close(shell);
  shell.reverse = "";
  shell.reverse_missed = false;
  shell.reverse_draft = shell.composer.text();
  shell.reverse_at = shell.history.entries().size();
}

void reverse_key(Shell& shell, const KeyPress& press) {
  const auto control = [&](std::string_view letter) {
    return press.key == Key::character && press.ctrl && press.text == letter;
  };
  const bool older = control("r"), newer = control("s");
  if (press.key == Key::escape || press.key == Key::enter || control("c") || press.key == Key::tab) {
    if (press.key == Key::escape || press.ctrl) shell.composer.set(shell.reverse_draft);
    shell.reverse.reset();
    if (press.key == Key::escape && shell.view.working) shell.interrupt();
    return;
  }
  if (newer) {
    if (const auto hit = shell.history.find_newer(*shell.reverse, shell.reverse_at)) show(shell, *hit);
    return;
  }
  if (!older) {
    typed(*shell.reverse, press);
    shell.reverse_at = shell.history.entries().size();
  }
  find_older(shell, older);
}

void reverse_paste(Shell& shell, std::string_view line) {
  *shell.reverse += line;
  shell.reverse_at = shell.history.entries().size();
  find_older(shell, false);
}

}  // namespace tern
