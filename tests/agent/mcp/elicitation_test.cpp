// A server's questions for the person.
#include "agent/mcp/elicitation.h"

#include <catch2/catch_test_macros.hpp>
#include <deque>
#include <nlohmann/json.hpp>

using namespace tern;
using nlohmann::json;

namespace {

struct Person {
  std::deque<UserAnswer> answers;
  std::vector<UserQuestion> asked;
  std::vector<std::string> opened;

  json answer(const json& params) {
    return answer_elicitation("a", params,
                              {.ask =
                                   [this](const UserQuestion& question) {
                                     asked.push_back(question);
                                     if (answers.empty()) return UserAnswer{};
                                     const UserAnswer next = answers.front();
                                     answers.pop_front();
                                     return next;
                                   },
                               .open = [this](const std::string& url) { opened.push_back(url); }});
  }
};

UserAnswer chosen(const std::string& text) { return {UserAnswer::How::chosen, text}; }
UserAnswer written(const std::string& text) { return {UserAnswer::How::written, text}; }

json form(const json& properties, const json& required = json::array()) {
  return {{"message", "Your data?"},
          {"requestedSchema", {{"type", "object"}, {"properties", properties}, {"required", required}}}};
}

}  // namespace

TEST_CASE("a form is asked field by field, with what the server proposes, and the values have their types") {
  Person person;
  person.answers = {chosen("Answer"), written(" 41 "), chosen("Yes"),
                    chosen("Green"),  written("Bob"),  chosen("Leave it out")};
  const json said = person.answer(
      form({{"age", {{"type", "integer"}, {"minimum", 0}}},
            {"bold", {{"type", "boolean"}}},
            {"colour", {{"type", "string"}, {"enum", {"r", "g"}}, {"enumNames", {"Red", "Green"}}}},
            {"name", {{"type", "string"}, {"default", "Ann"}}},
            {"nick", {{"type", "string"}}}},
           {"age", "name"}));
  CHECK(said == json{{"action", "accept"},
                     {"content", {{"age", 41}, {"bold", true}, {"colour", "g"}, {"name", "Bob"}}}});
  REQUIRE(person.asked.size() == 6);
  CHECK(person.asked[0].text.starts_with("The MCP server \"a\" asks:\n\nYour data?"));
  CHECK(person.asked[3].options.at(1).label == "Green");
  CHECK(person.asked[4].options.at(0).label == "Ann");
}

TEST_CASE("a value that does not fit is asked for again; Esc cancels, Decline declines") {
  const json age = form({{"age", {{"type", "integer"}, {"maximum", 9}}}}, {"age"});
  Person again;
  again.answers = {chosen("Answer"), written("many"), written("10"), written("9")};
  CHECK(again.answer(age)["content"] == json{{"age", 9}});
  CHECK(again.asked[3].text.starts_with("That is not a number that fits."));
  Person leaves;
  leaves.answers = {chosen("Answer")};
  CHECK(leaves.answer(age) == json{{"action", "cancel"}});
  Person declines;
  declines.answers = {chosen("Decline")};
  CHECK(declines.answer(age) == json{{"action", "decline"}});
  CHECK(Person().answer(age) == json{{"action", "cancel"}});
}

TEST_CASE("choices with titles, several of them, and a list that is written with commas") {
  Person person;
  person.answers = {chosen("Answer"), written("Red, Blue")};
  const json items{{"anyOf", {{{"const", "r"}, {"title", "Red"}}, {{"const", "b"}, {"title", "Blue"}}}}};
  const json said = person.answer(form({{"colours", {{"type", "array"}, {"items", items}}}}));
  CHECK(said["content"] == json{{"colours", {"r", "b"}}});
}

TEST_CASE("what is no plain form is declined, without a question") {
  Person person;
  CHECK(person.answer(form({{"inner", {{"type", "object"}}}})) == json{{"action", "decline"}});
  CHECK(person.answer({{"requestedSchema", {{"properties", "none"}}}}) == json{{"action", "decline"}});
  json many = json::object();
  for (int i = 0; i < 40; ++i) many["f" + std::to_string(i)] = {{"type", "string"}};
  CHECK(person.answer(form(many)) == json{{"action", "decline"}});
  CHECK(person.asked.empty());
  CHECK(answer_elicitation("a", form(json::object()), {}) == json{{"action", "decline"}});
}

TEST_CASE("an address is shown with its host, and one that must not be opened is declined") {
  Person person;
  person.answers = {chosen("I'll open it")};
  CHECK(person.answer({{"mode", "url"}, {"url", "https://pay.example.org/x"}, {"message", "Pay"}}) ==
        json{{"action", "accept"}});
  CHECK(person.opened == std::vector<std::string>{"https://pay.example.org/x"});
  CHECK(person.asked[0].text.find("**pay.example.org**") != std::string::npos);
  CHECK(person.answer({{"mode", "url"}, {"url", "http://pay.example.org/x"}}) == json{{"action", "decline"}});
  CHECK(person.answer({{"mode", "url"}, {"url", "file:///etc/passwd"}}) == json{{"action", "decline"}});
}

TEST_CASE("with nobody there a form is accepted as it proposes, or declined") {
  CHECK(accept_with_defaults(
            form({{"n", {{"type", "number"}, {"default", 1.5}}}, {"s", {{"type", "string"}}}})) ==
        json{{"action", "accept"}, {"content", {{"n", 1.5}}}});
  CHECK(accept_with_defaults(form({{"s", {{"type", "string"}}}}, {"s"})) == json{{"action", "decline"}});
}
