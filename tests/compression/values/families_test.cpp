// Tokens by the family of a model: pieces are counted alike wherever they fall, and weigh what the family's
// own tokenizer makes of them.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>

#include "compression/values/family_count.h"
#include "compression/values/tokens.h"

using namespace tern;

namespace {

constexpr Family all[] = {Family::claude, Family::cl100k, Family::o200k,    Family::gemini,
                          Family::llama,  Family::qwen,   Family::deepseek, Family::mistral};

struct Sample {
  const char* kind;
  std::string text;
  Tokens real[families];  // as the public tokenizers count it, in the order of Family
};

const Sample samples[] = {
    {"prose",
     "The parser comes first, since the generator cannot stream its input. It is "
     "written by hand, one function a rule, and keeps the place of each token for "
     "the messages. When the user asks for a summary, the oldest results are "
     "folded to a line; everything that leaves the context can be brought back "
     "later by its id. Nobody has to remember which of the twelve files was read "
     "in the morning.",
     {81, 81, 81, 81, 81, 81, 81, 81}},
    {"code",
     "std::optional<std::size_t> find_boundary(const std::vector<Item>& items, "
     "int limit) {\n  for (std::size_t i = items.size(); i-- > 0;) {\n    if "
     "(items[i].role != Role::user) continue;\n    const auto tokens = "
     "count_tokens(items[i].text);\n    if (tokens > limit * 2 || items[i].pinned) "
     "return i + 1;\n  }\n  return std::nullopt;  // nothing before it may leave\n}\n",
     {120, 108, 107, 125, 108, 108, 111, 108}},
    {"json",
     "{\"type\":\"tool_result\",\"id\":\"call_42\",\"content\":[{\"type\":\"text\",\"text\":\"3 "
     "files changed, 120 "
     "insertions(+)\"}],\"usage\""
     ":{\"input_tokens\":18234,\""
     "output_tokens\":512,\"cach"
     "ed\":true},\"files\":[\"src/parser.cpp\",\"src/lexer.cpp\",\"tests/parser_test.cpp\"],\"error\":null}",
     {77, 69, 71, 86, 69, 77, 79, 85}},
    {"chinese",
     ""
     "我们先写解析器，因为生成器不能流式读取输入。每条"
     "规则对应一个函数，并且保留每个标记在文件中的位置"
     "，这样错误信息就可以准确地指出问题所在。当上下文"
     "快要满的时候，较早的工具结果会被压缩成一行，需要"
     "时可以通过编号重新取回。用户不希望引入新的依赖，"
     "测试必须在本地运行通过之后才能提交代码。",
     {109, 133, 93, 83, 102, 85, 76, 123}},
};

ItemPtr said(std::string text) { return make_item({.role = Role::user, .blocks = {Text{std::move(text)}}}); }

}  // namespace

TEST_CASE("a model's family is known by its name, wherever it is served") {
  CHECK(family_of("claude-sonnet-4-5") == Family::claude);
  CHECK(family_of("anthropic/claude-opus-4") == Family::claude);
  CHECK(family_of("gpt-4-turbo") == Family::cl100k);
  CHECK(family_of("gpt-4") == Family::cl100k);
  CHECK(family_of("gpt-4o-mini") == Family::o200k);
  CHECK(family_of("gpt-4.1") == Family::o200k);
  CHECK(family_of("openai/o3-mini") == Family::o200k);
  CHECK(family_of("gemini-2.5-pro") == Family::gemini);
  CHECK(family_of("meta-llama/Llama-3.3-70B-Instruct") == Family::llama);
  CHECK(family_of("deepseek-r1-distill-llama-70b") == Family::llama);
  CHECK(family_of("deepseek-chat") == Family::deepseek);
  CHECK(family_of("qwen3:8b") == Family::qwen);
  CHECK(family_of("devstral-small") == Family::mistral);
  CHECK_FALSE(family_of("olmo-2"));
  CHECK_FALSE(family_of("m"));
}

TEST_CASE("a text weighs what the family's tokenizer makes of it") {
  for (const auto& sample : samples)
    for (const auto family : all) {
      INFO(sample.kind << " for family " << static_cast<int>(family));
      const auto real = static_cast<double>(sample.real[static_cast<std::size_t>(family)]);
      CHECK(static_cast<double>(weigh(count_pieces(sample.text), family)) ==
            Catch::Approx(real).epsilon(0.12));
    }
}

TEST_CASE("pieces are the same however they fall on the blocks of 64 bytes") {
  for (const auto& sample : samples) {
    const auto at_once = count_pieces("~\n" + sample.text);
    for (std::size_t ahead = 1; ahead < 70; ++ahead) {
      std::string pad;
      for (std::size_t i = 0; i < ahead; ++i) pad += "~\n";
      auto padded = count_pieces(pad + sample.text);
      const auto alone = count_pieces(pad), one = count_pieces("~\n");
      bool same = true;
      for (std::size_t kind = 0; kind < piece_kinds; ++kind)
        same = same && padded.counts[kind] - alone.counts[kind] == at_once.counts[kind] - one.counts[kind];
      INFO(sample.kind << " behind " << ahead);
      REQUIRE(same);
    }
  }
}

TEST_CASE("pieces of any bytes are counted") {
  std::minstd_rand random(5);
  for (int round = 0; round < 2'000; ++round) {
    std::string text(random() % 200, ' ');
    for (char& c : text) c = static_cast<char>(random());
    for (const auto family : all) CHECK(weigh(count_pieces(text), family) >= 0);
  }
}

TEST_CASE("a conversation weighs the sum of its items, and an item that changed is counted anew") {
  FamilyCount count;
  const Conversation talk{{said(samples[0].text), said(samples[3].text)}};
  const auto frame = said("")->tokens;
  const auto weight = [&](int sample, Family family) {
    return frame + weigh(count_pieces(samples[sample].text), family);
  };
  CHECK(count.of(talk, Family::qwen) == weight(0, Family::qwen) + weight(3, Family::qwen));
  CHECK(count.of(talk, Family::mistral) == weight(0, Family::mistral) + weight(3, Family::mistral));
  const Conversation shorter{{said(samples[0].text), said(samples[1].text)}};
  CHECK(count.of(shorter, Family::qwen) == weight(0, Family::qwen) + weight(1, Family::qwen));
  for (int i = 0; i < 500; ++i) count.of(Conversation{{said(samples[2].text)}}, Family::qwen);
  CHECK(count.of(talk, Family::qwen) == weight(0, Family::qwen) + weight(3, Family::qwen));
}

TEST_CASE("what comes before a conversation weighs as the system prompt's text does") {
  FamilyCount count;
  const auto& chinese = samples[3].text;
  const auto own = static_cast<double>(weigh(count_pieces(chinese), Family::deepseek));
  CHECK(static_cast<double>(count.scaled(2 * estimate(chinese), chinese, Family::deepseek)) ==
        Catch::Approx(2 * own).margin(2));
  CHECK(count.scaled(70, "", Family::deepseek) == 70);
}
