#include "agent/gate/git_call.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "tools/exec/follow.h"
#include "tools/exec/output_ring.h"
#include "tools/exec/process.h"
#include "tools/sandbox/child_env.h"

namespace tern {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr auto patience = std::chrono::seconds(2);

// How many commits git counts; nothing where it fails or takes too long.
std::optional<std::string> counted(const fs::path& folder, const Words& revisions) {
  ProcessSpec spec;
  spec.argv = {"git",      "-c",     "core.fsmonitor=false", "--no-optional-locks", "--no-pager",
               "rev-list", "--count"};
  spec.argv.insert(spec.argv.end(), revisions.begin(), revisions.end());
  spec.argv.emplace_back("--");
  spec.cwd = folder;
  spec.env = child_env(current_env(), {}, {});
  spec.env.emplace_back("GIT_ALLOW_PROTOCOL=none");  // a missing object is not worth a connection
  spec.grace = std::chrono::milliseconds(0);
  Process process;
  if (!process.start(spec).empty()) return std::nullopt;
  OutputRing output;
  FollowLimits limits;
  limits.time = patience;
  const Following following = follow(process, output, limits, {}, {});
  if (following.how != Following::How::ended || following.end.status != 0 || output.bytes() == 0)
    return std::nullopt;
  return output.text();
}

bool in_repository(const fs::path& folder) {
  std::error_code error;
  for (fs::path at = folder;; at = at.parent_path()) {
    if (fs::exists(at / ".git", error) || fs::exists(at / "HEAD", error)) return true;
    if (at == at.parent_path()) return false;
  }
}

bool is_revision(const std::string& word) {
  return !word.empty() && word[0] != '-' && word.find("..") == word.npos &&
         std::all_of(word.begin(), word.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || std::string_view("_./@{}~^-").find(c) != std::string_view::npos;
         });
}

constexpr std::string_view rebase_flags =
    "-i --interactive --autosquash --no-autosquash --autostash --no-autostash -q --quiet -v --verbose -n "
    "--stat "
    "--no-stat -r --rebase-merges -f --force-rebase --no-ff --keep-empty --fork-point --no-fork-point "
    "--reapply-cherry-picks --no-reapply-cherry-picks --update-refs --no-update-refs --signoff --no-verify";

// "rebase [--onto X] [UPSTREAM [BRANCH]]": the commits of the branch that the upstream has not.
std::string rewritten_by_rebase(const Words& words) {
  if (words.size() == 2 &&
      in_list(words[1], "--continue --abort --skip --quit --edit-todo --show-current-patch"))
    return {};
  Words revisions;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--onto" && i + 1 < words.size())
      ++i;
    else if (is_revision(words[i]))
      revisions.push_back(words[i]);
    else if (!words[i].starts_with("--onto=") && !in_list(words[i], rebase_flags))
      return "?";
  }
  if (revisions.size() > 2) return "?";
  const std::string upstream = revisions.empty() ? "@{upstream}" : revisions.front();
  return upstream + ".." + (revisions.size() > 1 ? revisions.back() : "HEAD");
}

}  // namespace

bool git_pushed(const fs::path& folder, const std::string& commits) {
  std::error_code error;
  if (!fs::is_directory(folder, error) || !in_repository(folder)) return false;
  const auto all = counted(folder, {commits});
  return !all || counted(folder, {commits, "--not", "--remotes"}) != all;
}

std::string rewritten_by(const GitCall& call) {
  if (call.words.empty()) return {};
  if (call.words.front() == "rebase") return rewritten_by_rebase(call.words);
  const bool amends = call.words.front() == "commit" &&
                      std::any_of(call.words.begin() + 1, call.words.end(), [](const std::string& word) {
                        return word.size() > 3 && std::string_view("--amend").starts_with(word);
                      });
  return amends ? "HEAD^!" : "";
}

bool rewrites_pushed(const Words& words, const CommandPlace& place) {
  const GitCall call = git_call(words);
  const std::string commits = rewritten_by(call);
  if (commits.empty()) return false;
  const Place where = place_of(call, place);
  return commits == "?" || call.own_settings || !where.error.empty() || git_pushed(where.real, commits);
}

}  // namespace tern
