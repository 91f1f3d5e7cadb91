#include "agent/mcp/server_questions.h"

#include "agent/mcp/file_uri.h"
#include "agent/mcp/rpc.h"

namespace tern {

using nlohmann::json;

json client_capabilities(bool somebody_is_there) {
  json all{{"roots", {{"listChanged", false}}}};
  if (somebody_is_there) all["elicitation"] = {{"form", json::object()}, {"url", json::object()}};
  return all;
}

ServerQuestion answer_question(std::string_view method, const std::vector<std::filesystem::path>& roots) {
  ServerQuestion answer;
  if (method == "ping") return answer;
  if (method == "elicitation/create") {  // nobody is there
    answer.result["action"] = "decline";
    return answer;
  }
  if (method != "roots/list") {
    answer.code = rpc_code::no_method;
    return answer;
  }
  json list = json::array();
  for (const auto& root : roots)
    list.push_back({{"uri", file_uri(root)}, {"name", root.filename().string()}});
  answer.result["roots"] = std::move(list);
  return answer;
}

json answer_inputs(const json& result, const std::vector<std::filesystem::path>& roots,
                   const AskPerson& person, std::string& why) {
  json responses = json::object();
  const json questions = result.value("inputRequests", json::object());
  if (!questions.is_object() || questions.empty()) why = "the server wants input and does not say which";
  for (const auto& [key, question] : questions.items()) {
    const std::string method = member_text(question, "method");
    ServerQuestion answer = answer_question(method, roots);
    if (method == "elicitation/create" && person)
      answer.result = person(question.value("params", json::object()));
    if (answer.code != 0) why = "the server asks for " + method + ", which tern does not support";
    responses[key] = std::move(answer.result);
  }
  return responses;
}

}  // namespace tern
