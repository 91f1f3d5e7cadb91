// What a session, a turn and a day have cost, against what they may cost; and what each request's tokens were
// spent on. Belongs to the owner; all it is told are the session's dollars so far, as the meters have them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/compactor/prompt.h"
#include "agent/models/cost.h"
#include "agent/store/usage_row.h"

namespace tern {

// The request divided by what its tokens are: in the order of the wire, since what comes first is what the
// cache held. Tokens and dollars sum to those of the usage.
std::vector<SourceSpend> divided(const Request& request, const PromptParts& prompt, const TokenUsage& usage,
                                 const ModelInfo& model);

// "mcp__github" of a server's tool, else the tool's own name.
std::string source_of_tool(std::string_view tool);

class Spending {
 public:
  std::function<double(double dollars)>
      count_today;  // adds to the day of all sessions, returns its sum; empty: none is kept

  void open(double session);  // a session is taken up that has cost so much
  void turn_begins(double session) { turn_from_ = session; }
  void count(double session);                                   // so much it has cost by now
  std::string reached(const SpendLimits& limits) const;         // which one, and the way on; empty: none
  std::optional<double> left(const SpendLimits& limits) const;  // until the nearest one; none = no limit
  double run() const { return session_ - run_from_; }
  double turn() const { return session_ - turn_from_; }
  double session() const { return session_; }
  double today() const { return today_; }

 private:
  double run_from_ = 0, turn_from_ = 0, session_ = 0, today_ = 0;
};

// Dollars that a tool's calls, results and helpers have cost in the session.
double spent_on_tool(const std::vector<SourceSpend>& sources, std::string_view tool);
// Why this tool is called no more; empty: it may be.
std::string over_its_limit(const SpendLimits& limits, const std::vector<SourceSpend>& sources,
                           std::string_view tool);
// What is left of one tool's own limit; none = it has none.
std::optional<double> left_for(const SpendLimits& limits, const std::vector<SourceSpend>& sources,
                               std::string_view tool);

}  // namespace tern
