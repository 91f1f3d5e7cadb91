// Which removal fits: three layers, each with its reason. The provider's table first; where it says hybrid,
// the features of the conversation by five rules with confidences; below 0.6, both are run and the more
// efficient one is taken.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compression/plan/removal.h"
#include "compression/values/budget.h"
#include "compression/values/context_edit.h"

namespace tern {

struct ModelRule {
  std::optional<Removal> how;  // none: hybrid, the features decide
  double retention = 1.0;      // share of the target that is really gone for: above 1 keeps more
  std::string_view why;
};
ModelRule model_rule(std::string_view provider, std::string_view model);

enum class Severity { light, moderate, heavy };
Severity severity_of(double ratio);  // target / tokens: light > 0.8, moderate > 0.6

struct Features {
  std::size_t messages = 0;
  double ratio = 1;         // target / tokens
  double recent_share = 0;  // of the tokens, in the last five messages
  bool long_messages = false, tools = false, system = false;
};
Features features_of(const Conversation& conversation, Tokens target);

struct StrategyVerdict {
  Removal how = Removal::middle;
  double confidence = 0;
  std::string why;
};
StrategyVerdict judge(const Features& features);

struct Outcome {
  Tokens before = 0, after = 0;
  std::size_t messages = 0, kept = 0;
};
// 0.6 x share of tokens removed + 0.4 x share of messages kept.
double efficiency(const Outcome& outcome);
Removal more_efficient(const Outcome& middle, const Outcome& oldest);  // where both are alike, the middle

struct Selection {
  Removal how = Removal::middle;
  Tokens target = 0;
  double confidence = 1;
  std::vector<std::string> reasons;  // one for each layer that spoke
  Edits edits;
};
Selection select_removal(const Conversation& conversation, const Budget& budget, Tokens target);

}  // namespace tern
