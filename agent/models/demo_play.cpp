// The long play: state lives in the ids of its calls ("play_<phase>_<step>_<n>"), so it survives every
// compression.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "agent/models/demo.h"
#include "compression/values/tokens.h"

namespace tern {

std::string_view demo_prompt() {
  return "Play the long demo: fill the window several times and show how the context is kept in shape. Never "
         "forget: the "
         "code word is TERN-7.";
}

const DemoStory& demo_story() {
  static const DemoStory story{
      "count.sh loses the last line of a file that has no newline at its end. Find out why, fix it and run "
      "the tests.",
      {{"README.md", "# Line counter\n\nA scratch project of `tern --demo`. Delete it whenever you like.\n"},
       {"count.sh",
        "#!/bin/sh\n# Counts the lines of its input that are not empty.\ncount=0\nwhile IFS= read -r line; "
        "do\n"
        "  [ -n \"$line\" ] && count=$((count + 1))\ndone\necho \"$count\"\n"},
       {"test.sh",
        "#!/bin/sh\n# Each case: an input, the lines it has, a name.\nfailed=0\ncheck() {\n"
        "  found=$(printf \"$1\" | sh count.sh)\n  if [ \"$found\" = \"$2\" ]; then\n    echo \"ok      "
        "$3\"\n  else\n"
        "    echo \"FAILED  $3: $found lines, not $2\"\n    failed=1\n  fi\n}\n"
        "check 'one\\ntwo\\n' 2 'two lines'\ncheck 'one\\n\\ntwo\\n' 2 'an empty line between'\n"
        "check 'one\\ntwo' 2 'no newline at the end'\nexit $failed\n"}}};
  return story;
}

namespace demo {
namespace {

enum Phase { opening, filling, jumping, compacting, recalling, closing };

constexpr std::string_view decision =
    "Decision: the fix stays plain POSIX sh, because count.sh also runs where there is no bash.";
constexpr std::string_view buggy = "while IFS= read -r line; do",
                           repaired = "while IFS= read -r line || [ -n \"$line\" ]; do";

struct State {
  int phase = opening, step = 0;
};

constexpr int longest_play = 70;  // steps: the play ends even if a tier never shows

template <class T, class Visit>
void each(const Conversation& conversation, Visit visit) {
  for (const ItemPtr& item : conversation.items)
    for (const Block& block : item->blocks)
      if (const auto* value = std::get_if<T>(&block)) visit(*value);
}

State state_of(const Conversation& conversation) {
  State state;
  each<ToolCall>(conversation, [&](const ToolCall& call) {
    State seen;
    if (std::sscanf(call.id.c_str(), "play_%d_%d", &seen.phase, &seen.step) == 2 && seen.step > state.step)
      state = seen;
  });
  return state;
}

bool was_compacted(const Conversation& conversation) {
  bool seen = false;
  each<ToolResult>(conversation,
                   [&](const ToolResult& result) { seen |= result.form == ResultForm::compacted; });
  return seen;
}

constexpr std::string_view goes_on = "go on as asked";  // in every summary of ours

// By this model: a truncation leaves a summary by rules.
bool was_summarized(const Conversation& conversation) {
  bool seen = false;
  each<Summary>(conversation,
                [&](const Summary& summary) { seen |= summary.text.find(goes_on) != std::string::npos; });
  return seen;
}

constexpr std::string_view topics[] = {
    "build log: module %03g compiled without a warning, object file written",
    "test report: case %03g passed, nothing unusual in its output",
    "dependency list: package %03g is pinned and its archive was checked",
    "access log: request %03g answered with status 200 from the cache",
};

ToolCall play_call(const State& state, int n, std::string_view tool, const nlohmann::json& arguments) {
  return {.id = "play_" + std::to_string(state.phase) + "_" + std::to_string(state.step) + "_" +
                std::to_string(n),
          .name = std::string(tool),
          .arguments = arguments.dump(),
          .signature = {}};
}

// About `tokens` of harmless output; every call differs, so it is never taken for a loop.
ToolCall make_output(const State& state, int n, Tokens tokens) {
  const std::string_view topic = topics[(state.step + n) % 4];
  const Tokens per_line = std::max<Tokens>(estimate(std::string(topic) + "\n"), 1);
  const Tokens first = state.step * 1'000 + n * 100'000, lines = std::max<Tokens>(tokens / per_line, 1);
  const std::string command = "seq -f '" + std::string(topic) + "' " + std::to_string(first) + " " +
                              std::to_string(first + lines - 1);
  return play_call(state, n, "Bash", {{"command", command}, {"description", "Make some output"}});
}

// With whatever the session offers for it.
ToolCall list_call(const State& state, const Request& request) {
  if (offers(request, "LS")) return play_call(state, 0, "LS", {{"path", "."}});
  return play_call(state, 0, "Bash", {{"command", "ls"}, {"description", "List the folder"}});
}

bool is_story(const Request& request) {
  bool told = false;
  each<Text>(request.conversation, [&](const Text& text) { told |= text.text == demo_story().prompt; });
  return told;
}

ToolCall run_tests(const State& state) {
  return play_call(state, 0, "Bash", {{"command", "sh test.sh"}, {"description", "Run the tests"}});
}

constexpr int story_steps = 6;

Step open_story(const State& state) {
  switch (state.step) {
    case 1:
      return {
          "I'll look for the place where lines are read. " + std::string(decision),
          {play_call(state, 0, "Grep", {{"pattern", "read"}, {"path", "."}, {"output_mode", "content"}})}};
    case 2:
      return {"",
              {play_call(state, 0, "Read", {{"file_path", "count.sh"}}),
               play_call(state, 1, "Read", {{"file_path", "test.sh"}})}};
    case 3: return {"First the tests, to see one fail.", {run_tests(state)}};
    case 4:
      return {
          "`read` fails at the end of the file even when it has just read a last line without a newline, so "
          "the loop ends "
          "too early.",
          {play_call(state, 0, "Edit",
                     {{"file_path", "count.sh"}, {"old_string", buggy}, {"new_string", repaired}})}};
    case 5: return {"Now the tests again.", {run_tests(state)}};
    default:
      return {
          "Now a log that is far too long: it is shortened as it enters, and the whole is kept for recall.",
          {make_output(state, 0, 6'000)}};
  }
}

// What was said at the beginning, when it has left the context.
Step recall_decision(const State& state) {
  return {"What was decided about bash? That message has left the context, so I recall it word for word.",
          {play_call(state, 0, "Recall", {{"search", "Decision: the fix stays"}})}};
}

Step open_play(const State& state, const Request& request) {
  const std::string who = "This is the demo: scripted replies in a small context window. ";
  if (state.step == 1) return {who + "First I list the folder.", {list_call(state, request)}};
  if (state.step == 2)
    return {
        "A search through the folder.",
        {play_call(
            state, 0, "Grep",
            {{"pattern", "the"}, {"path", "."}, {"output_mode", "files_with_matches"}, {"head_limit", 8}})}};
  return {
      "Now a command with far too much output: watch it being snipped as it enters, with the whole kept for "
      "recall.",
      {make_output(state, 0, 6'000)}};
}

Step fill(const State& state, Tokens effective) {
  const bool first = state.phase == filling;
  std::string text = "Step " + std::to_string(state.step) + ": more output. ";
  text += first ? "At 60% of the window old results shrink to one line each."
                : "At 80% the older part becomes a summary.";
  return {std::move(text), {make_output(state, 0, std::clamp<Tokens>(effective / 30, 200, 2'000))}};
}

// One message whose results lift the context past 95 % at once, so that no gentler tier can come first.
Step jump(const State& state, const Request& request, Tokens effective) {
  Tokens missing = std::max<Tokens>(effective + effective / 50 - size_of(request), effective / 8);
  Step step{
      "Step " + std::to_string(state.step) +
          ": several large results at once, past 95% in one go: the oldest messages are cut without a model.",
      {}};
  for (int n = 0; missing > 0 && n < 8; ++n, missing -= 1'600)
    step.calls.push_back(make_output(state, n, std::min<Tokens>(missing, 1'600)));
  return step;
}

// The line that came back, quoted.
std::string recalled(const Conversation& conversation) {
  const ToolResult* result = last_result(conversation);
  const auto at = result == nullptr ? std::string::npos : result->text.find(decision);
  return at == std::string::npos
             ? ""
             : " What was decided came back word for word: \"" + std::string(decision) + "\"";
}

Step close_play(const State& state, const Request& request) {
  return {"Demo finished: " + std::to_string(state.step) +
          " steps in a small context window. Results were shortened, old ones compacted, the rest cut when "
          "it had to be, and the "
          "older part summarized. Nothing is lost: /recall brings back any r-number." +
          (is_story(request) ? recalled(request.conversation) : std::string(" The code word is TERN-7."))};
}

int next_phase(const State& state, const Request& request) {
  const bool story = is_story(request);
  if (state.step >= longest_play || state.phase == recalling) return closing;
  if (state.phase == opening) return state.step >= (story ? story_steps : 3) ? filling : opening;
  const bool summarized = was_summarized(request.conversation);
  if (state.phase == filling) return summarized || was_compacted(request.conversation) ? jumping : filling;
  if (!summarized) return compacting;
  return story && offers(request, "Recall") ? recalling : closing;
}

void add(std::string& out, std::string_view text, std::size_t limit) {
  std::string line(text.substr(0, limit));
  while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0x80)) line.pop_back();
  std::replace(line.begin(), line.end(), '\n', ' ');
  if (!line.empty()) out += "- " + line + "\n";
}

struct Facts {
  std::string wishes, work, errors, last;
};

Facts facts_of(const Conversation& conversation) {
  Facts facts;
  for (std::size_t i = 0; i + 1 < conversation.items.size(); ++i) {  // the last item asks for the summary
    const Item& item = *conversation.items[i];
    for (const Block& block : item.blocks) {
      if (const auto* text = std::get_if<Text>(&block)) {
        if (item.role == Role::user && !item.synthetic && facts.wishes.size() < 160)
          add(facts.wishes, text->text, 140);
        if (item.role == Role::assistant) facts.last = text->text;
      }
      if (const auto* result = std::get_if<ToolResult>(&block)) {
        std::string& into = result->is_error ? facts.errors : facts.work;
        if (into.size() < 60)
          add(into, result->tool + " " + (result->subject.empty() ? result->text : result->subject), 60);
      }
    }
  }
  return facts;
}

std::string or_none(const std::string& text) { return text.empty() ? "- none\n" : text; }

}  // namespace

Step play(const Request& request) {
  const Tokens effective = std::max<Tokens>(request.window - request.max_output, 2'000);
  State state = state_of(request.conversation);
  state.phase = next_phase(state, request);
  if (state.phase == closing) return close_play(state, request);
  ++state.step;
  if (state.phase == opening) return is_story(request) ? open_story(state) : open_play(state, request);
  if (state.phase == recalling) return recall_decision(state);
  return state.phase == jumping ? jump(state, request, effective) : fill(state, effective);
}

std::string summarize(const Request& request) {
  const Facts facts = facts_of(request.conversation);
  const std::string asked = last_user_text(request.conversation) + request.system;
  std::string last;
  add(last, facts.last, 60);
  if (asked.find("state_snapshot") != asked.npos)
    return "<scratchpad>Put together by the demo script from the messages "
           "themselves.</scratchpad>\n<state_snapshot>\n<overall_goal>\n" +
           or_none(facts.wishes) + "</overall_goal>\n<key_knowledge>\n" + or_none(facts.errors) +
           "</key_knowledge>\n<file_system_state>\n" + or_none(facts.work) +
           "</file_system_state>\n<recent_actions>\n" + or_none(last) +
           "</recent_actions>\n<current_plan>\n- go on as asked\n</current_plan>\n</state_snapshot>";
  return "<analysis>\nPut together by the demo script from the messages "
         "themselves.\n</analysis>\n<summary>\n1. Primary request "
         "and intent:\n" +
         or_none(facts.wishes) + "2. Key technical concepts:\n- none\n3. Files and code sections:\n" +
         or_none(facts.work) + "4. Errors and fixes:\n" + or_none(facts.errors) +
         "5. Problem solving:\n- none open\n6. All user messages:\n- as under 1\n"
         "7. Pending tasks:\n- go on as asked\n8. Current work:\n" +
         or_none(last) + "9. Next step:\n- go on as asked\n</summary>";
}

}  // namespace demo
}  // namespace tern
