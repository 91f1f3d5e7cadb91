// What a tool asks the user, and the answer.
#pragma once

#include <string>
#include <vector>

namespace tern {

struct UserQuestion {  // of a tool that `asks`
  struct Option {
    std::string label, help;
  };
  std::string text;  // Markdown
  std::vector<Option> options;
  bool own_words = true;  // an answer may be none of the options
  bool plan = false;      // the text is a plan to be approved; it brings its own options
};
struct UserAnswer {
  enum class How {
    chosen,
    written,
    approved,
    refused
  } how = How::refused;  // approved, refused: a plan; refused: also no answer
  std::string
      text;  // what was chosen or written; of a plan: as the user changed it, or what should be different
};

}  // namespace tern
