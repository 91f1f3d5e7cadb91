// The prefix check of the newer Claude models: a thought is only taken back behind the system prompt, the
// tools and the messages it was thought for, unless the request asks to drop those that do not fit.
#pragma once

#include <map>
#include <string>

#include "tests/support/fake_llm.h"

namespace tern::test {

class FakeBinding {
 public:
  // What the service says to a request that fails the check; empty = it is taken.
  std::string refusal(const FakeRequest& request) const;
  void thought(const FakeRequest& request, const std::string& signature);

 private:
  std::map<std::string, std::string> prefixes_;  // by signature
};

}  // namespace tern::test
