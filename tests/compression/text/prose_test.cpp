#include "compression/text/prose.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

using namespace tern;

namespace {

std::vector<std::string> sentences(std::string_view text) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = end_of_sentence(text, at);
    found.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return found;
}

}  // namespace

TEST_CASE("sentences end at their marks and at line ends, in English and in Chinese, not inside a name") {
  CHECK(sentences("Fix a.cpp. Then test!\nDone") ==
        std::vector<std::string>{"Fix a.cpp.", " Then test!", "\n", "Done"});
  CHECK(sentences("先看。再改！") == std::vector<std::string>{"先看。", "再改！"});
}

TEST_CASE("words are counted in both scripts") {
  CHECK(words_in("The 2 parsers of a.cpp") == 4);  // the, parsers, of, cpp
  CHECK(words_in("改为 flush") == 3);
  CHECK(words_in("") == 0);
}

TEST_CASE("sentences that give a reason or a decision are told from those that only report") {
  for (const auto* reason :
       {"We keep it because the lexer needs it.", "I'll use a map instead.", "The root cause is the buffer.",
        "Decided: no cache.", "因为缓冲区没有刷新", "决定用映射"})
    CHECK(gives_reason(reason));
  for (const auto* report : {"All 34 tests pass.", "The sinceParser runs.", "I read the file.", "测试通过了"})
    CHECK_FALSE(gives_reason(report));
}
