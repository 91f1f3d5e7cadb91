// A conversation taken apart for choosing: parts (blocks with text), their lines, and the names each line
// holds. Borrows the text of the conversation, which must outlive it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compression/text/names.h"
#include "compression/values/conversation.h"

namespace tern {

// Excerpts stand indented by two spaces in a summary of ours; its other lines say what they are about and
// where to find it. How the first line of a shortened block begins; it is never cut again.
inline constexpr std::string_view compacted_label = "[Compacted: ";

enum class PartKind : std::uint8_t { human, said, call, result, summary };

struct SurveyPart {
  std::uint32_t item = 0, block = 0;  // indexes into the conversation
  PartKind kind = PartKind::human;
  std::string_view text;              // a call's text is its arguments
  std::uint32_t first = 0, last = 0;  // its lines
  float rate = 0;                     // tokens per byte, from the item's own count
  float age = 0;                      // 0 newest .. 1 oldest, by tokens
};

// Lines cover a part's text without gaps, line ends included; a very long line comes as several.
struct SurveyLine {
  std::uint32_t part = 0, begin = 0, size = 0;
  std::uint32_t first = 0, last = 0;  // into Survey::names
  std::uint32_t named = 0;            // bytes that belong to identifiers and numbers
  bool starts = true, ends = true;    // false inside a line that was split
  bool frame = false;                 // of a call: keys, short values, first lines; they stay with the call
  bool error = false;
  bool words = false;       // of the person, as a summary quotes them
  bool reason = false;      // prose that says why
  std::uint16_t prose = 0;  // words of an answer
};

struct NameUse {
  NameKind kind = NameKind::ident;
  std::uint16_t human = 0, said = 0, results = 0;  // in how many parts of each kind
  std::uint32_t last_part = 0;                     // newest part that holds it
  float age = 1;                                   // of that part
};

struct Survey {
  std::vector<SurveyPart> parts;
  std::vector<SurveyLine> lines;
  std::vector<std::uint32_t> names;  // of the lines, as indexes into uses
  std::vector<NameUse> uses;
  double bytes = 0;
};
Survey survey(const Conversation& conversation);

std::string_view text_of(const Survey& survey, const SurveyLine& line);

}  // namespace tern
