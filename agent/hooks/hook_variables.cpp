#include "agent/hooks/hook_variables.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string_view>
#include <utility>

#include "compression/text/plain_text.h"

namespace tern {
namespace {

constexpr std::streamsize kMost = 64 * 1024;

// Set by the shell itself, or of this file's own making.
constexpr std::string_view kOwn[] = {"_",      "SHLVL",       "PWD", "OLDPWD", "CLAUDE_ENV_FILE",
                                     "TMPDIR", "TERN_COMMAND"};

}  // namespace

std::string take_lines(const std::filesystem::path& file) {
  std::string lines(static_cast<std::size_t>(kMost), '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(lines.data(), kMost);
  lines.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  std::error_code error;
  std::filesystem::remove(file, error);
  return std::string(trimmed(lines));
}

HookJob job_reading(const std::string& lines, const ProcessSpec& hook) {
  HookJob job{.command = hook, .request = {}, .input = {}, .timeout = std::chrono::seconds(5)};
  const auto text = "exec 3>&1 > /dev/null 2>&1\nset -a\n" + lines + "\nexec env -0 >&3\n";
  job.command.argv = {"/bin/sh", "-c", text};
  if (hook.argv.size() == 3 && hook.argv[1] == "-c") job.command.argv[0] = hook.argv[0];
  return job;
}

std::vector<std::string> variables_in(const std::string& printed, const std::vector<std::string>& before) {
  std::vector<std::string> set;
  for (std::string_view rest = printed; !rest.empty();) {
    const auto end = std::min(rest.find('\0'), rest.size());
    const auto entry = std::string(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto name = std::string_view(entry).substr(0, entry.find('='));
    const bool own = std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn);
    const bool usable = name.size() < entry.size() && !name.empty() && !own;
    if (usable && std::find(before.begin(), before.end(), entry) == before.end()) set.push_back(entry);
  }
  return set;
}

}  // namespace tern
