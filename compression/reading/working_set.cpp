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
constexpr Tokens large_named = 10'000;  // unless the user named them
constexpr std::size_t least_name = 4;   // bytes of a file's name; shorter ones are in every sentence

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
  WorkingSet(const Conversation& conversation, const Survey& survey) : items_(conversation.items) {
    for (const auto& part : survey.parts)
      if (part.kind == PartKind::human) take_names(part.text);
    for (const auto& old : superseded_results(conversation)) superseded_.insert(key(old.item, old.block));
    for (const auto& item : items_) {
      for (const auto& block : item->blocks) {
        if (const auto* call = std::get_if<ToolCall>(&block)) calls_[call->id].arguments = call->arguments;
        if (const auto* result = std::get_if<ToolResult>(&block))
          calls_[result->call_id].failed = result->is_error;
      }
    }
  }

  Work work_of(const SurveyPart& part) const {
    const Block& block = items_[part.item]->blocks[part.block];
    const auto tokens = static_cast<Tokens>(part.rate * static_cast<float>(part.text.size()));
    if (const auto* call = std::get_if<ToolCall>(&block)) {
      const bool edit = changes_files(call->name) && !known(call->id).failed;
      return edit && tokens <= large ? Work::found : Work::none;
    }
    const auto* result = std::get_if<ToolResult>(&block);
    if (!result || !is_current_source(*result) || superseded_.count(key(part.item, part.block)) > 0)
      return Work::none;
    const bool named = named_.count(base_name(result->subject)) > 0;
    if (tokens > (named ? large_named : large)) return Work::none;
    return named ? Work::named : Work::found;
  }

 private:
  bool is_current_source(const ToolResult& result) const {
    return reads_files(result.tool) && !result.is_error && result.form != ResultForm::compacted &&
           is_code(result.subject) && !asks_for_part(known(result.call_id).arguments);
  }

  static bool is_in_name(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
  }

  static std::string_view base_name(std::string_view path) {
    return path.substr(path.find_last_of("/\\") + 1);
  }

  // The words that may name a file: those with a dot before their end.
  void take_names(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t begin = at;
      while (at < text.size() && is_in_name(text[at])) ++at;
      auto word = text.substr(begin, at - begin);
      while (word.ends_with('.')) word.remove_suffix(1);
      if (word.size() >= least_name && word.find('.') != word.npos) named_.insert(word);
    }
  }

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
  std::unordered_set<std::string_view> named_;  // files, by the user
  std::unordered_set<std::size_t> superseded_;
  std::unordered_map<std::string_view, Call> calls_;
};

}  // namespace

std::vector<Work> working_set(const Conversation& conversation, const Survey& survey) {
  const WorkingSet working(conversation, survey);
  std::vector<Work> works;
  works.reserve(survey.parts.size());
  for (const auto& part : survey.parts) works.push_back(working.work_of(part));
  return works;
}

}  // namespace tern
