#include "agent/models/demo.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>

#include "agent/models/providers.h"
#include "compression/text/plain_text.h"
#include "compression/values/tokens.h"

namespace tern {
namespace demo {
namespace {

using nlohmann::json;

constexpr std::string_view scratch = "tern-demo-scratch.txt";

std::string trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n\"'`");
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n\"'`.?!") - first + 1));
}

// "please read src/a.cpp" with verb "read" → "src/a.cpp"; empty when the verb is not there.
std::string object_of(std::string_view prompt, std::initializer_list<std::string_view> verbs) {
  const std::string low = lowered(prompt);
  for (std::string_view verb : verbs) {
    const std::string word = std::string(verb) + " ";
    const auto at = low.starts_with("please ") ? 7 : 0;
    if (low.compare(at, word.size(), word) == 0) return trim(prompt.substr(at + word.size()));
  }
  return {};
}

constexpr std::string_view introduction =
    "This is the built-in demo: scripted replies, but real tools on your folder.\n\n"
    "Try one of these:\n"
    "- `read README.md` shows a file\n"
    "- `run git status` runs a command\n"
    "- `find main` searches the folder\n"
    "- `list` lists the folder\n"
    "- `tour` uses every tool once, with a scratch file of its own\n\n"
    "For a real model type `/login` and paste a key, or start a local server (Ollama, llama.cpp, LM Studio) "
    "and choose it with `/model`. `tern --demo` plays a long conversation in a small window.";

std::size_t results_since_prompt(const Conversation& conversation) {
  std::size_t rounds = 0;
  for (auto it = conversation.items.rbegin(); it != conversation.items.rend(); ++it) {
    const auto& blocks = (*it)->blocks;
    const bool prompt = (*it)->role == Role::user &&
                        std::any_of(blocks.begin(), blocks.end(),
                                    [](const Block& block) { return std::holds_alternative<Text>(block); });
    const bool results = std::any_of(blocks.begin(), blocks.end(), [](const Block& block) {
      return std::holds_alternative<ToolResult>(block);
    });
    if (results) ++rounds;
    if (prompt && !results && !(*it)->synthetic) return rounds;
  }
  return rounds;
}

// A plain file to read, from what the listing showed.
std::string first_file(const ToolResult* listing) {
  std::string best;
  if (!listing) return "README.md";
  std::size_t at = 0;
  while (at < listing->text.size()) {
    const auto end = std::min(listing->text.find('\n', at), listing->text.size());
    std::string line = trim(std::string_view(listing->text).substr(at, end - at));
    if (line.starts_with("- ")) line.erase(0, 2);
    if (auto blank = line.find_first_of(" \t"); blank != line.npos) line.resize(blank);
    const auto dot = line.rfind('.');
    if (dot != line.npos && dot > 0 && !line.ends_with("/") &&
        (best.empty() || lowered(line).starts_with("readme")))
      best = line;
    at = end + 1;
  }
  return best.empty() ? "README.md" : best;
}

Step list_folder(const Request& request, std::string text) {
  if (offers(request, "LS")) return {std::move(text), {call(request, "LS", R"({"path":"."})")}};
  return {std::move(text), {call(request, "Bash", R"({"command":"ls","description":"List the folder"})")}};
}

Step edit_scratch(const Request& request) {
  return {
      "Then I change one line of it.",
      {call(request, "Edit",
            json{{"file_path", scratch}, {"old_string", "second line"}, {"new_string", "second line, edited"}}
                .dump())}};
}

Step tour(const Request& request, std::size_t round) {
  switch (round) {
    case 0:
      return list_folder(request,
                         "This is the demo: scripted replies. Here is every tool once. First the folder:");
    case 1:
      return {
          "Now one file of it.",
          {call(request, "Read",
                json{{"file_path", first_file(last_result(request.conversation))}, {"limit", 40}}.dump())}};
    case 2:
      return {"A search for a common word.",
              {call(request, "Grep",
                    R"({"pattern":"the","path":".","output_mode":"files_with_matches","head_limit":10})")}};
    case 3:
      return {"A harmless command.",
              {call(request, "Bash",
                    R"({"command":"uname -sr && date +%F","description":"Show system and date"})")}};
    case 4:
      return {"A scratch file of my own.",
              {call(request, "Write",
                    json{{"file_path", scratch}, {"content", "first line\nsecond line\n"}}.dump())}};
    case 5: return edit_scratch(request);
    default:
      return {
          "That was the tour: list, read, search, run, write and edit, each approved and logged as with a "
          "real model. The file "
          "`" +
          std::string(scratch) + "` is yours to delete."};
  }
}

Step one_tool(const Request& request, std::string_view tool, json arguments, std::string text) {
  return {std::move(text), {call(request, tool, arguments.dump())}};
}

Step report(const Request& request) {
  const ToolResult* result = last_result(request.conversation);
  if (!result) return {std::string(introduction)};
  const auto lines = std::count(result->text.begin(), result->text.end(), '\n') + 1;
  std::string said = result->is_error ? "The tool answered with an error" : "Done";
  return {said + " (" + std::to_string(lines) + (lines == 1 ? " line" : " lines") +
          "; you see it above). A real model would now explain it; the demo is scripted."};
}

}  // namespace

Step answer(const Request& request) {
  const std::string prompt = last_user_text(request.conversation);
  const std::size_t round = results_since_prompt(request.conversation);
  const std::string low = lowered(prompt);
  const bool wants_tour =
      low.find("tour") != low.npos || low.find("show me") != low.npos || low.find("demo") != low.npos;
  if (wants_tour) return tour(request, round);
  if (round > 0) return report(request);
  if (auto file = object_of(prompt, {"read", "show", "cat", "open"}); !file.empty())
    return one_tool(request, "Read", {{"file_path", file}}, "Reading " + file + ".");
  if (auto command = object_of(prompt, {"run", "execute"}); !command.empty())
    return one_tool(request, "Bash", {{"command", command}, {"description", "Run what was asked"}},
                    "Running it.");
  if (auto what = object_of(prompt, {"find", "search for", "search", "grep"}); !what.empty())
    return one_tool(request, "Grep",
                    {{"pattern", what}, {"path", "."}, {"output_mode", "content"}, {"head_limit", 50}},
                    "Searching.");
  if (low.starts_with("list") || low == "ls" || low.find("what is here") != low.npos)
    return list_folder(request, "Listing the folder.");
  if (low.find("write a note") != low.npos)
    return one_tool(request, "Write", {{"file_path", scratch}, {"content", "first line\nsecond line\n"}},
                    "Writing a scratch file.");
  return {std::string(introduction)};
}

std::string last_user_text(const Conversation& conversation) {
  for (auto it = conversation.items.rbegin(); it != conversation.items.rend(); ++it) {
    if ((*it)->role != Role::user || (*it)->synthetic) continue;
    for (const Block& block : (*it)->blocks)
      if (const auto* text = std::get_if<Text>(&block); text && !text->text.empty()) return text->text;
  }
  return {};
}

const ToolResult* last_result(const Conversation& conversation) {
  for (auto it = conversation.items.rbegin(); it != conversation.items.rend(); ++it)
    for (auto block = (*it)->blocks.rbegin(); block != (*it)->blocks.rend(); ++block)
      if (const auto* result = std::get_if<ToolResult>(&*block)) return result;
  return nullptr;
}

bool offers(const Request& request, std::string_view tool) {
  return std::any_of(request.tools.begin(), request.tools.end(),
                     [&](const ToolSpec& spec) { return spec.name == tool; });
}

ToolCall call(const Request& request, std::string_view tool, std::string arguments) {
  const auto last = request.conversation.items.empty() ? 0 : request.conversation.items.back()->id.value;
  return {.id = "demo_" + std::to_string(last) + "_" + std::string(tool),
          .name = std::string(tool),
          .arguments = std::move(arguments),
          .signature = {}};
}

Tokens size_of(const Request& request) {
  Tokens tokens = estimate(request.system);
  for (const ToolSpec& tool : request.tools) tokens += estimate(tool.description) + estimate(tool.schema);
  return tokens + count(request.conversation);
}

}  // namespace demo

namespace {

std::string sample_of(const nlohmann::json& schema, int depth = 0) {
  if (!schema.is_object() || depth > 6) return "{}";
  auto kind = schema.value("type", nlohmann::json("object"));
  if (kind.is_array() && !kind.empty()) kind = nlohmann::json(kind[0]);
  const std::string type = kind.is_string() ? kind.get<std::string>() : "object";
  if (schema.contains("enum") && schema["enum"].is_array() && !schema["enum"].empty())
    return schema["enum"][0].dump();
  if (type == "string") return "\"demo\"";
  if (type == "number" || type == "integer")
    return schema.contains("minimum") ? schema["minimum"].dump() : "0";
  if (type == "boolean") return "false";
  if (type == "array") return "[]";
  std::string out = "{";
  if (schema.contains("properties") && schema["properties"].is_object())
    for (const auto& [name, field] : schema["properties"].items())
      out += (out.size() > 1 ? "," : "") + nlohmann::json(name).dump() + ":" + sample_of(field, depth + 1);
  return out + "}";
}

using namespace std::chrono_literals;

class DemoProvider : public Provider {
 public:
  explicit DemoProvider(bool paced) : paced_(paced) {}

  void stream(const Request& request, const Sink& sink, std::stop_token stop) override {
    demo::Step step = next(request);
    const Pace pace = request.model == "long" ? Pace{30ms, 700ms} : Pace{12ms, 250ms};
    if (!say(step.text, pace, sink, stop))
      return sink(Failed{.kind = Failure::cancelled, .message = "cancelled"});
    if (!step.text.empty()) sink(BlockDone{Text{step.text}});
    for (ToolCall& call : step.calls) {
      sink(CallStarted{call.id, call.name});
      sink(BlockDone{call});
    }
    sink(UsageReport{
        {.input = demo::size_of(request), .output = estimate(step.text) + 30 * Tokens(step.calls.size())}});
    sink(Finished{step.calls.empty() ? StopReason::end : StopReason::tools});
  }

 private:
  static demo::Step next(const Request& request) {
    if (!request.may_call_tools) return {demo::summarize(request)};
    if (!request.json_schema.empty()) {
      const auto schema = nlohmann::json::parse(request.json_schema, nullptr, false);
      return {sample_of(schema)};
    }
    return request.model == "long" ? demo::play(request) : demo::answer(request);
  }

  struct Pace {
    std::chrono::milliseconds word, answer;
  };

  // Word by word; false when stopped.
  bool say(std::string_view text, Pace pace, const Sink& sink, std::stop_token stop) const {
    if (!paced_)
      return text.empty() || stop.stop_requested() ? !stop.stop_requested()
                                                   : (sink(TextDelta{std::string(text)}), true);
    for (std::size_t at = 0; at < text.size();) {
      const auto end = std::min(text.find(' ', at), text.size() - 1) + 1;
      sink(TextDelta{std::string(text.substr(at, end - at))});
      at = end;
      if (pause(pace.word, stop)) return false;
    }
    return !pause(pace.answer, stop);
  }

  static bool pause(std::chrono::milliseconds time, std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any waiting;
    std::unique_lock lock(mutex);
    waiting.wait_for(lock, stop, time, [] { return false; });
    return stop.stop_requested();
  }

  bool paced_;
};

}  // namespace

namespace providers {
extern const ProviderKind demo;
const ProviderKind demo{
    .name = "demo",
    .title = "Demo (scripted, no model)",
    .base_url = "",
    .default_model = "demo",
    .key_variables = "",
    .url_variable = "",
    .model_variable = "",
    .needs_key = false,
    .local = true,
    .make = [](const ProviderConfig& config) -> std::unique_ptr<Provider> {
      return std::make_unique<DemoProvider>(config.paced);
    },
};
}  // namespace providers

}  // namespace tern
