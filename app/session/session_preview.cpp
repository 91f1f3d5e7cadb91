#include "app/session/session_preview.h"

#include <utility>

#include "agent/protocol/local_time.h"
#include "agent/store/project_dir.h"
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
        text += item.role == Role::user ? "### " + said->text.substr(0, said->text.find('\n')) + "\n\n"
                                        : said->text + "\n\n";
  }
  void operator()(const ToolFinished& done) {
    text += "- " + done.label + "  " + done.subject.substr(0, done.subject.find('\n')) + "\n\n";
  }
  template <class Other>
  void operator()(const Other&) {}
};

std::vector<SessionRow> newest_of(const std::filesystem::path& root) {
  constexpr std::size_t most = 5;
  const auto project = open_project_dir({.root = root, .state_dir = {}, .create = false});
  const bool ours = project.state == ProjectDir::State::ours || project.state == ProjectDir::State::readonly;
  std::error_code error;
  if (!ours || !std::filesystem::is_regular_file(project.folder / "tern.db", error)) return {};
  return Store::open({.folder = project.folder, .read_only = true})->sessions({}, most);
}

std::string title_of(const SessionRow& row) {
  const std::string& title = row.name.empty() ? row.first_prompt : row.name;
  return title.substr(0, title.find('\n'));
}

}  // namespace

Page sessions_elsewhere(const std::vector<std::filesystem::path>& folders,
                        const std::filesystem::path& here) {
  std::string text;
  for (const auto& folder : folders) {
    if (folder == here) continue;
    const auto rows = newest_of(folder);
    if (rows.empty()) continue;
    text += "### " + folder.string() + "\n\n";
    for (const SessionRow& row : rows)
      text += "- " + time_ago(row.updated) + "  " + title_of(row) + " · " +
              counted(static_cast<std::int64_t>(row.turns), "turn") + "\n  `tern -C " + folder.string() +
              " --resume " + row.id + "`\n";
    text += "\n";
  }
  if (text.empty()) text = "No other folder that you trust has a conversation.\n";
  return {"Conversations in other folders", std::move(text), Page::Form::markdown};
}

Page session_preview(const std::filesystem::path& folder, const std::string& id) {
  std::string why;
  const auto store = Store::open({.folder = folder, .read_only = true});
  const auto opened = store->resume(id, why);
  if (!opened) return {"Preview", why.empty() ? "There is no session " + id + ".\n" : why + "\n"};
  Ending ending;
  for (const Event& event :
       store->screen({.begin = store->screen_begin(SIZE_MAX, shown_entries), .tool_text = 0}))
    std::visit(ending, event);
  const std::string turns = counted(static_cast<std::int64_t>(opened->turns), "turn");
  return {"How " + (opened->name.empty() ? id : opened->name) + " ended · " + turns + " · " + opened->model,
          ending.text.empty() ? "Nothing was said yet.\n" : std::move(ending.text), Page::Form::markdown};
}

}  // namespace tern
