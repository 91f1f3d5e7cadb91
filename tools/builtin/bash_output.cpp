#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "tools/exec/jobs.h"
#include "tools/search/regex.h"
#include "tools/set/tool.h"

namespace tern {

namespace {

std::string matching_lines(const Regex& filter, const std::string& text) {
  Matcher matcher(filter);
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (matcher.find(line, 0)) kept.append(line) += '\n';
    begin = end + 1;
  }
  if (matcher.gave_up()) kept += "[the filter takes too long on some lines; they are not shown]\n";
  return kept;
}

std::string known_jobs(const Jobs& jobs) {
  std::string text;
  for (const JobInfo& job : jobs.list()) text += "\n" + job.id + " (" + job.how + "): " + job.command;
  return text.empty() ? " There are no background commands." : " Known:" + text;
}

ToolOutput run(const nlohmann::json& args, ToolContext& ctx) {
  const std::string id = args.value("bash_id", std::string());
  const std::string expression = args.value("filter", std::string());
  ToolOutput result;
  result.subject = id;
  std::string error;
  const std::optional<Regex> filter = Regex::compile(expression, {}, error);
  if (!filter) {  // before anything is read: what is new stays new
    result.is_error = true;
    result.text = "filter is not a regular expression: " + error;
    return result;
  }
  std::optional<std::string> text = ctx.jobs.read_new(id);
  const std::optional<JobInfo> job = ctx.jobs.find(id);
  if (!text || !job) {
    result.is_error = true;
    result.text = "There is no background command '" + id + "'." + known_jobs(ctx.jobs);
    return result;
  }
  const std::string shown = expression.empty() ? *text : matching_lines(*filter, *text);
  result.note = job->how;
  // How long, so that looking again at what is silent is no repetition of the same.
  const std::string how =
      job->how + (job->running ? " for " + std::to_string(job->age.count() / 1000) + " s" : "");
  result.text = job->id + ": " + how + " · " + std::to_string(job->lines) +
                (job->lines == 1 ? " line" : " lines") + " in all\n" +
                (!shown.empty()  ? shown
                 : text->empty() ? "(nothing new)"
                                 : "(what is new holds no line that matches)");
  if (!job->running) result.exit_status = job->exit_status;
  return result;
}

std::string subject(const nlohmann::json& args) { return args.value("bash_id", std::string()); }

}  // namespace

Tool bash_output_tool() {
  return {
      .name = "BashOutput",
      .description = "New output of a background command; filter: regex.",
      .about = "Reads what a background command has said since.",
      .schema = R"({"type":"object","properties":{"bash_id":{"type":"string"},"filter":{"type":"string"}},)"
                R"("required":["bash_id"]})",
      .effects = Effect::context,
      .basic = true,
      .aliases = "id=bash_id shell_id=bash_id task_id=bash_id",
      .run = run,
      .subject = subject,
      .label = {},
  };
}

}  // namespace tern
