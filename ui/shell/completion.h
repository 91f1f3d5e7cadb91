// What the composer could become: commands after '/', files after '@'. Pure over the text before the caret.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/text/style.h"

namespace tern {

struct Shell;

struct Candidate {
  std::string text;  // put in place of [begin, caret)
  std::string help;
  std::string usage;  // what may follow
  bool run = false;   // Enter runs it at once (a command without arguments)
};

class Completion {
 public:
  void update(Shell& shell);  // after every change of the composer
  bool is_open() const { return !candidates_.empty(); }
  void close(const Shell& shell);  // until the text changes
  void move(int by);
  const Candidate* current() const;
  std::size_t begin() const { return begin_; }
  Rows rows(int width, int height) const;

 private:
  void names(const Shell& shell, std::string_view line);
  void commands(Shell& shell, std::string_view line);
  void files(Shell& shell, std::string_view word);
  std::vector<Candidate> candidates_;
  std::size_t begin_ = 0, selected_ = 0;
  std::string seen_;
  std::optional<std::string> closed_for_;
};

}  // namespace tern
