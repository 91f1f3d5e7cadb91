#include "compression/values/families.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace tern {
namespace {

// Thousandths of a token, a row for each Piece in its order, a column for each Family in its order.
constexpr std::int16_t weights[piece_kinds][families] = {
#include "compression/values/family_weights.inc"
};

struct Name {
  std::string_view part;
  Family family;
};
// The first that occurs in a name decides: "deepseek-r1-distill-llama-70b" has the tokenizer of llama.
constexpr std::array names = {
    Name{"llama", Family::llama},       Name{"claude", Family::claude},
    Name{"qwen", Family::qwen},         Name{"qwq", Family::qwen},
    Name{"deepseek", Family::deepseek}, Name{"gemini", Family::gemini},
    Name{"gemma", Family::gemini},      Name{"mistral", Family::mistral},
    Name{"mixtral", Family::mistral},   Name{"codestral", Family::mistral},
    Name{"devstral", Family::mistral},  Name{"ministral", Family::mistral},
    Name{"magistral", Family::mistral}, Name{"gpt-oss", Family::o200k},
    Name{"gpt-3.5", Family::cl100k},    Name{"gpt-4-", Family::cl100k},
    Name{"gpt-4o", Family::o200k},      Name{"gpt-4.", Family::o200k},
    Name{"gpt-5", Family::o200k},       Name{"chatgpt", Family::o200k},
    Name{"codex", Family::o200k},
};

bool is_reasoning_model_of_openai(std::string_view name) {  // "o3", "o4-mini", "openai/o1"
  if (const auto slash = name.rfind('/'); slash != name.npos) name.remove_prefix(slash + 1);
  return name.size() >= 2 && name[0] == 'o' && name[1] >= '1' && name[1] <= '9' &&
         (name.size() == 2 || name[2] == '-');
}

}  // namespace

std::optional<Family> family_of(std::string_view model) {
  std::string name(model);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& known : names)
    if (name.find(known.part) != name.npos) return known.family;
  if (name.ends_with("gpt-4")) return Family::cl100k;
  if (is_reasoning_model_of_openai(name)) return Family::o200k;
  return std::nullopt;
}

Tokens weigh(const Pieces& pieces, Family family) {
  std::int64_t sum = 0;
  for (std::size_t kind = 0; kind < piece_kinds; ++kind)
    sum += std::int64_t{pieces.counts[kind]} * weights[kind][static_cast<std::size_t>(family)];
  return std::max<std::int64_t>(sum + 500, 0) / 1000;
}

}  // namespace tern
