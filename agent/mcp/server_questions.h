// What a server may ask of us, and the answers: roots, ping, and what it wants to know of the person;
// everything else is refused, for a question without an answer keeps a server waiting. Pure.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

nlohmann::json client_capabilities(bool somebody_is_there);

struct ServerQuestion {
  int code = 0;  // of the refusal; 0: `result` is the answer
  nlohmann::json result = nlohmann::json::object();
};
ServerQuestion answer_question(std::string_view method, const std::vector<std::filesystem::path>& roots);

// The modern form: the questions inside a result, answered by their keys. `why` when one cannot be.
using AskPerson =
    std::function<nlohmann::json(const nlohmann::json& params)>;  // "elicitation/create"; null: declined
nlohmann::json answer_inputs(const nlohmann::json& result, const std::vector<std::filesystem::path>& roots,
                             const AskPerson& person, std::string& why);

}  // namespace tern
