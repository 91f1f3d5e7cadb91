#include <regex.h>
#include <nlohmann/json.hpp>

#include <string>

#include "tools/jobs.h"
#include "tools/tool.h"

namespace tern {

namespace {

// The lines of `text` that match; an expression that is none is said to be so.
bool keep_matching(const std::string& expression, std::string& text, std::string& error) {
  regex_t pattern;
  if (const int code = ::regcomp(&pattern, expression.c_str(), REG_EXTENDED | REG_NOSUB); code != 0) {
    char why[200];
    ::regerror(code, &pattern, why, sizeof why);
    error = "filter is not a regular expression: " + std::string(why);
    return false;
  }
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    const std::string line = text.substr(begin, end - begin);
    if (::regexec(&pattern, line.c_str(), 0, nullptr, 0) == 0) kept += line + "\n";
    begin = end + 1;
  }
  ::regfree(&pattern);
  text = kept;
  return true;
}

std::string known_jobs(const Jobs& jobs) {
  std::string text;
  for (const JobInfo& job : jobs.list()) text += "\n" + job.id + " (" + job.how + "): " + job.command;
  return text.empty() ? " There are no background commands." : " Known:" + text;
}

ToolOutput run(const nlohmann::json& args, ToolContext& ctx) {
  const std::string id = args.value("bash_id", std::string());
  ToolOutput result;
  result.subject = id;
  std::optional<std::string> text = ctx.jobs.read_new(id);
  const std::optional<JobInfo> job = ctx.jobs.find(id);
  if (!text || !job) {
    result.is_error = true;
    result.text = "There is no background command '" + id + "'." + known_jobs(ctx.jobs);
    return result;
  }
  const std::string filter = args.value("filter", std::string());
  if (!filter.empty() && !keep_matching(filter, *text, result.text)) {
    result.is_error = true;
    return result;
  }
  result.note = job->how;
  result.text = job->id + ": " + job->how + " · " + std::to_string(job->lines) + " lines in all\n" +
                (text->empty() ? "(nothing new)" : *text);
  if (!job->running) result.exit_status = job->exit_status;
  return result;
}

std::string subject(const nlohmann::json& args) { return args.value("bash_id", std::string()); }

}  // namespace

extern const Tool bash_output;
constinit const Tool bash_output{
    .name = "BashOutput",
    .description =
        "What a background command has said since the last look, and whether it still runs. filter: only lines matching this "
        "expression.",
    .schema = R"({"type":"object","properties":{"bash_id":{"type":"string"},"filter":{"type":"string"}},"required":["bash_id"]})",
    .effect = Effect::context,
    .basic = false,
    .aliases = "id=bash_id shell_id=bash_id task_id=bash_id",
    .run = run,
    .subject = subject,
    .label = {},
};

}  // namespace tern
