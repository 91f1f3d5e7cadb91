// One big search and 20 small turns after it: done in the conversation, and handed to a helper. Tokens the
// conversation holds after the search, and dollars of everything, at 3 $ a million tokens in, 15 out, 3.75 to
// write the cache and 0.30 to read it.
//   helper_bench [files read by the search]      default 24
#include <cstdio>
#include <cstdlib>
#include <string>

#include "agent/helpers/helper_desk.h"
#include "tests/agent/turn/turn_rig.h"
#include "tests/support/store_folder.h"

using namespace tern;

namespace {

constexpr int turns_after = 20;

std::string text(int n) { return std::to_string(n); }

struct Figures {
  Tokens after_search = 0, at_the_end = 0, explored = 0;
  double search = 0, all = 0;
};

// What a provider with a prompt cache would count: the prefix of the last request of this conversation is
// read, the rest written.
struct Meter {
  Tokens cached = 0;
  TokenUsage of(const Request& request, Tokens output) {
    Tokens size = estimate(request.system) + tokens_of(request.tools) + count(request.conversation);
    const Tokens read = std::min(cached, size);
    cached = size;
    return {.input = 0, .output = output, .cache_read = read, .cache_write = size - read};
  }
};

struct Work {
  explicit Work(int read_by_search) : files(read_by_search) {
    std::string body;
    for (int n = 0; n < files * 4; ++n) {
      body.clear();
      for (int line = 0; line < 240; ++line)
        body += "  const auto value" + text(line) + " = compute_" + text(n) + "(input_" + text(line) + ", " +
                text(line * n) + ");  // step " + text(line) + " of module " + text(n) + "\n";
      if (n % 4 == 0) body += "  parse_expression(value1);\n";
      rig.write("module" + text(n) + ".cpp", body);
    }
    rig.context.model.priced = true;
    rig.context.model.input = 3, rig.context.model.output = 15;
    rig.context.model.cache_read = 0.3, rig.context.model.cache_write = 3.75;
    HelperSetup setup{.parent = [this]() -> Agent& { return rig.agent; },
                      .inbox = rig.inbox,
                      .models = rig.models,
                      .connect = [this](const ModelInfo&) { return rig.connect(); },
                      .store = {.folder = folder.path},
                      .most = 200'000};
    desk = std::make_unique<HelperDesk>(std::move(setup));
    rig.hands.offered.add(desk->tool());
    for (const auto& tool : rig.hands.offered)
      rig.context.tools.push_back({tool->name, tool->description, tool->schema});
    rig.context.tool_tokens = tokens_of(rig.context.tools);
  }

  static bool helpers(const Request& request) {
    return request.system.find("You are a helper") != std::string::npos;
  }

  // One grep, then the files two by two, then the answer.
  test::Reply search(const Request& request, int step) {
    const auto usage = (helpers(request) ? helper : parent).of(request, step == 0 ? 80 : 120);
    if (step == 0)
      return test::calls({test::call("g", "Grep", R"({"pattern":"parse_expression"})")}, {}, usage);
    std::vector<ToolCall> reads;
    for (int n = 2 * (step - 1); n < std::min(files, 2 * step); ++n)
      reads.push_back(
          test::call("s" + text(n), "Read", R"({"file_path":"module)" + text(n * 4) + R"(.cpp"})"));
    if (!reads.empty()) return test::calls(std::move(reads), {}, usage);
    std::string report = "These call the parser:\n";
    for (int n = 0; n < files; ++n)
      report += "- module" + text(n * 4) + ".cpp:241 passes value1, computed at line 2\n";
    return test::says(report, usage);
  }

  Figures run(bool by_helper) {
    int step = 0;
    rig.script.otherwise([&](const Request& request) {
      if (by_helper && !helpers(request)) {
        const auto usage = parent.of(request, 150);
        if (std::exchange(step, 1) == 0)
          return test::calls(
              {test::call(
                  "t", "Task",
                  R"({"description":"find callers","prompt":"Who calls the parser, and with what?"})")},
              {}, usage);
        return test::says("The report has the list.", usage);
      }
      return search(request, by_helper ? helper_step++ : step++);
    });
    rig.turn("Who calls the parser, and with what?");
    Figures figures;
    figures.after_search = rig.context.estimated();
    figures.search = rig.context.gauges.dollars();
    rig.script.otherwise([&](const Request& request) {
      const auto usage = parent.of(request, 200);
      const auto& last = request.conversation.items.back()->blocks.front();
      if (std::holds_alternative<Text>(last))
        return test::calls({test::call("a" + text(++asked), "Grep",
                                       R"({"pattern":"compute_3\\(","glob":"module3.cpp","head_limit":20})")},
                           {}, usage);
      return test::says("Done, that was a small one.", usage);
    });
    for (int n = 0; n < turns_after; ++n) rig.turn("Now the small change number " + text(n) + ".");
    figures.at_the_end = rig.context.estimated();
    figures.all = rig.context.gauges.dollars();
    figures.explored = HelperDesk::totals(*rig.store).explored;
    return figures;
  }

  int files, helper_step = 0, asked = 0;
  test::StoreFolder folder;
  test::Rig rig{200'000, folder.path};
  Meter parent, helper;
  std::unique_ptr<HelperDesk> desk;
};

void show(const char* how, const Figures& figures) {
  std::printf("%s: context after the search\t%lld\ttokens\t\n", how,
              static_cast<long long>(figures.after_search));
  std::printf("%s: context after %d more turns\t%lld\ttokens\t\n", how, turns_after,
              static_cast<long long>(figures.at_the_end));
  std::printf("%s: the search\t%.3f\tdollars\t\n", how, figures.search);
  std::printf("%s: all turns\t%.3f\tdollars\t\n", how, figures.all);
  if (figures.explored > 0)
    std::printf("%s: explored\t%lld\ttokens\t\n", how, static_cast<long long>(figures.explored));
}

}  // namespace

int main(int argc, char** argv) {
  const int files = argc > 1 ? std::atoi(argv[1]) : 24;
  const auto inline_figures = Work(files).run(false);
  const auto helper_figures = Work(files).run(true);
  show("inline", inline_figures);
  show("Task", helper_figures);
  const bool smaller =
      helper_figures.after_search < inline_figures.after_search && helper_figures.all < inline_figures.all;
  return smaller ? 0 : 1;
}
