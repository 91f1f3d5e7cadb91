// What the session asks the user, as permission requests, and the client's answers. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "agent/protocol/event.h"

namespace tern {

// The options of "session/request_permission".
nlohmann::json permission_options(const PermissionAsked& asked);
nlohmann::json question_options(const QuestionAsked& asked);
nlohmann::json trust_options();

// A question of the model, or its plan, as the tool call of the request.
nlohmann::json question_call(const QuestionAsked& asked);
nlohmann::json trust_call(const std::string& folder, const std::string& claims);

// `answer` is the client's result; null or one we did not offer means no.
Answer permission_answer(std::uint64_t id, const nlohmann::json* answer);
// The plan's answers are chosen by number, as those of a question.
bool says_yes(const nlohmann::json* answer);
// The client says that the turn has been cancelled.
bool says_cancelled(const nlohmann::json* answer);

}  // namespace tern
