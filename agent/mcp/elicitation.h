// A server's question for the person: a form of plain fields, or an address to open. Pure: what it takes to
// ask is passed in.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "tools/set/user_question.h"

namespace tern {

struct ElicitationWays {
  std::function<UserAnswer(const UserQuestion&)> ask;  // one question at a time
  std::function<void(const std::string& url)> open;    // in a browser, where there is one
};
// The result of "elicitation/create": accept with its content, decline or cancel. What a person enters is
// checked; a form that is none of the kinds that are allowed is declined. Text of the server is shown as the
// server's.
nlohmann::json answer_elicitation(const std::string& server, const nlohmann::json& params,
                                  const ElicitationWays& ways);

// Where nobody is to be asked: every field as the form itself proposes; declined when one is required and has
// none.
nlohmann::json accept_with_defaults(const nlohmann::json& params);

}  // namespace tern
