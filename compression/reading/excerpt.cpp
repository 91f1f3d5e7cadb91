#include "compression/reading/excerpt.h"

#include <string>

#include "compression/values/describe.h"

namespace tern {

namespace {

class Excerpt {
 public:
  Excerpt(const ExcerptInput& input, const SurveyPart& part)
      : survey_(input.survey),
        kept_(input.kept),
        part_(part),
        described_(input.described),
        item_(*input.items[part.item]) {}

  Block block() const {
    const Block& old = item_.blocks[part_.block];
    if (part_.kind == PartKind::call) {
      auto call = std::get<ToolCall>(old);
      call.arguments = kept_arguments();
      return call;
    }
    std::size_t lines = 0;
    const std::string body = kept_text(lines);
    if (const auto* summary = std::get_if<Summary>(&old)) {
      const std::string head = "[Earlier work, shortened again";
      return Summary{body.starts_with(head) ? body : head + shown_id() + "]\n" + body, summary->covers};
    }
    if (part_.kind != PartKind::result) return Text{labelled(body, lines)};
    auto result = std::get<ToolResult>(old);
    result.text = body.empty() && described_ && !result.text.starts_with(compacted_label)
                      ? compacted_line(result)
                      : labelled(body, lines);
    result.form = ResultForm::compacted;
    return result;
  }

 private:
  std::string shown_id() const {
    const auto* result = std::get_if<ToolResult>(&item_.blocks[part_.block]);
    const auto id = result && result->recall ? result->recall : item_.recall;
    return id ? " · " + to_string(id) : std::string();
  }

  std::string labelled(const std::string& body, std::size_t lines) const {
    if (body.starts_with(compacted_label)) return body;
    const auto label = std::string(compacted_label) + std::to_string(lines) + " lines" + shown_id() + "]";
    return body.empty() ? label : label + "\n" + body;
  }

  std::string kept_text(std::size_t& lines) const {
    std::string out;
    bool before = true;  // the piece before was kept
    for (auto l = part_.first; l < part_.last; ++l) {
      const SurveyLine& line = survey_.lines[l];
      lines += line.ends;
      if (kept_[l]) {
        if (!line.starts && !before) out += "…";
        out += text_of(survey_, line);
      } else if (!line.starts && before && !out.empty() && out.back() != '\n') {
        out += "…\n";
      }
      before = kept_[l];
    }
    while (!out.empty() && out.back() == '\n') out.pop_back();
    return out;
  }

  std::string kept_arguments() const {
    std::string out;
    bool before = true, named = false;
    for (auto l = part_.first; l < part_.last; ++l) {
      if (kept_[l]) {
        out += text_of(survey_, survey_.lines[l]);
      } else if (before) {
        out += named ? "…\\n" : "[…" + shown_id() + "]\\n";
        named = true;
      }
      before = kept_[l];
    }
    return out;
  }

  const Survey& survey_;
  const std::vector<char>& kept_;
  const SurveyPart& part_;
  bool described_;
  const Item& item_;
};

}  // namespace

Block excerpt(const ExcerptInput& input, const SurveyPart& part) { return Excerpt(input, part).block(); }

}  // namespace tern
