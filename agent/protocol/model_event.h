// Events about models: which there are, and the ways to one. Part of event.h.
#pragma once

#include <string>
#include <vector>

#include "compression/values/conversation.h"

namespace tern {

struct ModelChoice {
  std::string name, alias;  // "provider/model"; the alias where there is one
  bool current = false;
  bool served = false;           // a server on this machine has it
  bool ready = true;             // nothing is missing to use it
  std::string missing;           // else: "set OPENAI_API_KEY"
  Tokens window = 0;             // 0 = not known
  double input = 0, output = 0;  // dollars per million tokens
  bool priced = false;
};
struct ModelList {  // the current one first, then what a local server has, what can be used, the rest
  std::vector<ModelChoice> models;
};
struct LoginAsked {                 // the ways to a model: /login, or a start without one
  std::vector<std::string> served;  // what local servers have, as "provider/model"
  bool first = false;               // at the start
};

}  // namespace tern
