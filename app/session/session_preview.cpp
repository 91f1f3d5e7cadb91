#include "app/session/session_preview.h"

#include <utility>

#include "agent/store/store.h"
#include "compression/text/figures.h"

namespace tern {
namespace {

constexpr std::size_t shown_entries = 60;

struct Ending {
  std::string text;

  void operator()(const ItemAdded& added) {
    const Item& item = *added.item;
    if (item.synthetic) return;
    for (const Block& block : item.blocks)
      if (const auto* said = std::get_if<Text>(&block); said && !said->text.empty())
        text += item.role == Role::user ? "### " + said->text.substr(0, said->text.find('\n')) + "\n\n" : said->text + "\n\n";
  }
  void operator()(const ToolFinished& done) {
    text += "- " + done.label + "  " + done.subject.substr(0, done.subject.find('\n')) + "\n\n";
  }
  template <class Other>
  void operator()(const Other&) {}
};

}  // namespace

Page session_preview(const std::filesystem::path& folder, const std::string& id) {
  std::string why;
  const auto store = Store::open({.folder = folder, .read_only = true});
  const auto opened = store->resume(id, why);
  if (!opened) return {"Preview", why.empty() ? "There is no session " + id + ".\n" : why + "\n"};
  Ending ending;
  for (const Event& event : store->screen({.begin = store->screen_begin(SIZE_MAX, shown_entries), .tool_text = 0}))
    std::visit(ending, event);
  const std::string turns = counted(static_cast<std::int64_t>(opened->turns), "turn");
  return {"How " + (opened->name.empty() ? id : opened->name) + " ended · " + turns + " · " + opened->model,
          ending.text.empty() ? "Nothing was said yet.\n" : std::move(ending.text), Page::Form::markdown};
}

}  // namespace tern
