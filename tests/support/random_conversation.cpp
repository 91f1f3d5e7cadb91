#include "tests/support/random_conversation.h"

#include <string>

#include "tests/support/script.h"

namespace tern::test {

namespace {

constexpr const char* tools[] = {"Read", "Read", "Bash", "Grep", "Edit", "Glob"};
constexpr const char* files[] = {"src/lexer.cpp", "src/parser.cpp", "include/token.h",
                                 "app/main.py",   "README.md",      "data.json"};
constexpr const char* commands[] = {"make -j8", "ctest -R parser", "git diff", "ls -la src", "npm test"};
constexpr const char* sentences[] = {
    "Please fix the parser, it drops the last line.",
    "Never touch include/token.h!",
    "\xE6\x8D\xA2\xE4\xB8\xAA\xE8\xAF\x9D\xE9\xA2\x98: what about the lexer?",
    "I changed parse_token in src/lexer.cpp:42 and reran the tests.",
    "The error says `undefined reference to merge_frame`.",
    "ok",
    "continue",
};

class Writer {
 public:
  Writer(unsigned seed, const RandomForm& form) : random_(seed), form_(form) {}

  std::string run() {
    if (chance(2)) line("system You are a careful engineer.");
    for (int turn = 0; turn < form_.turns; ++turn) {
      line(std::string("user ") + pick(sentences));
      if (form_.attachments && chance(12)) line("image " + std::to_string(below(5'000)) + " bytes");
      if (form_.pins && chance(10)) line("pin");
      for (int rounds = below(4); rounds > 0; --rounds) round();
      if (!chance(6)) line(std::string("assistant ") + pick(sentences));
      if (chance(8)) line("at +" + std::to_string(below(30) + 1) + "m");
    }
    return std::move(text_);
  }

 private:
  void round() {
    if (chance(3)) line("think hm, let me see");
    if (chance(3)) line(std::string("say ") + pick(sentences));
    const int calls = 1 + (chance(4) ? below(3) : 0);
    for (int i = 0; i < calls; ++i) {
      const std::string tool = pick(tools);
      line("call " + std::to_string(next_ + i) + " " + tool + " " +
           (tool == "Bash" ? pick(commands) : pick(files)));
    }
    for (int i = 0; i < calls; ++i) {
      line(std::string(chance(8) ? "error " : "result ") + std::to_string(next_ + i) + " " +
           std::to_string(1 + below(form_.most_lines)) + " lines");
    }
    if (form_.pins && chance(15)) line("pin");
    next_ += calls;
  }

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(int one_in) { return below(one_in) == 0; }
  template <std::size_t N>
  const char* pick(const char* const (&list)[N]) {
    return list[below(N)];
  }
  void line(const std::string& text) { text_ += text + "\n"; }

  std::minstd_rand random_;
  const RandomForm& form_;
  std::string text_;
  int next_ = 1;
};

}  // namespace

Conversation random_conversation(unsigned seed, const RandomForm& form) {
  return script(Writer(seed, form).run());
}

}  // namespace tern::test
