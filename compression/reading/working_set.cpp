#include "compression/reading/working_set.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compression/reading/superseded.h"
#include "compression/values/describe.h"
#include "compression/values/tool_kinds.h"

namespace tern {

namespace {

constexpr Tokens large = 4'000;  // larger files are read for orientation: few of their lines are ever quoted

// Documents are read to be followed, not to be edited.
bool is_code(std::string_view path) {
  const auto language = language_of(path);
  return !language.empty() && language != "Markdown" && language != "text";
}

bool asks_for_part(std::string_view arguments) {
  return arguments.find("\"offset\"") != arguments.npos || arguments.find("\"limit\"") != arguments.npos;
}

class WorkingSet {
 public:
  WorkingSet(const Conversation& conversation, const Survey& survey)
      : items_(conversation.items), survey_(survey) {
    for (const auto& old : superseded_results(conversation)) superseded_.insert(key(old.item, old.block));
    for (const auto& item : items_) {
      for (const auto& block : item->blocks) {
        if (const auto* call = std::get_if<ToolCall>(&block)) calls_[call->id].arguments = call->arguments;
        if (const auto* result = std::get_if<ToolResult>(&block))
          calls_[result->call_id].failed = result->is_error;
      }
    }
  }

  bool holds(const SurveyPart& part) const {
    const Block& block = items_[part.item]->blocks[part.block];
    if (static_cast<Tokens>(part.rate * static_cast<float>(part.text.size())) > large) return false;
    if (const auto* call = std::get_if<ToolCall>(&block))
      return changes_files(call->name) && !known(call->id).failed;
    const auto* result = std::get_if<ToolResult>(&block);
    return result && reads_files(result->tool) && !result->is_error &&
           result->form != ResultForm::compacted && is_code(result->subject) &&
           !asks_for_part(known(result->call_id).arguments) &&
           superseded_.count(key(part.item, part.block)) == 0;
  }

 private:
  struct Call {
    std::string_view arguments;
    bool failed = false;
  };

  static std::size_t key(std::size_t item, std::size_t block) { return item * 1'000'003 + block; }

  Call known(std::string_view id) const {
    const auto at = calls_.find(id);
    return at == calls_.end() ? Call{} : at->second;
  }

  const std::vector<ItemPtr>& items_;
  const Survey& survey_;
  std::unordered_set<std::size_t> superseded_;
  std::unordered_map<std::string_view, Call> calls_;
};

}  // namespace

std::vector<bool> working_set(const Conversation& conversation, const Survey& survey) {
  const WorkingSet working(conversation, survey);
  std::vector<bool> held;
  held.reserve(survey.parts.size());
  for (const auto& part : survey.parts) held.push_back(working.holds(part));
  return held;
}

}  // namespace tern
