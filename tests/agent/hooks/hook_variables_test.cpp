// Variables of CLAUDE_ENV_FILE: what a shell prints of them, and what is kept.
#include "agent/hooks/hook_variables.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/support/commands.h"
#include "tests/support/temp_dir.h"

using namespace tern;

namespace {

std::vector<std::string> set_by(const std::string& lines, const std::vector<std::string>& before) {
  const test::TempDir folder;
  auto spec = test::shell_spec("true", folder.path());
  spec.env = before;
  std::vector<HookJob> jobs;
  jobs.push_back(job_reading(lines, spec));
  return variables_in(run_jobs(std::move(jobs), {}).front().out, before);
}

}  // namespace

TEST_CASE("hook variables: what the lines set or change is kept, whatever they print") {
  const std::vector<std::string> before = {"PATH=/usr/bin:/bin", "KEPT=1"};
  using Set = std::vector<std::string>;
  CHECK(set_by("export A=1\necho B=2", before) == Set{"A=1"});
  CHECK(set_by("A='two words'; echo noise >&2", before) == Set{"A=two words"});
  CHECK(set_by("export PATH=\"$PATH:/opt\"", before) == Set{"PATH=/usr/bin:/bin:/opt"});
  CHECK(set_by("export A='two\nlines'", before) == Set{"A=two\nlines"});
  CHECK(set_by("KEPT=1; cd /", before).empty());
  CHECK(set_by("if broken", before).empty());
}

TEST_CASE("hook variables: the file of a hook is read once") {
  const test::TempDir folder;
  const auto file = folder.path() / "env";
  CHECK(take_lines(file).empty());
  std::ofstream(file) << "export A=1\n";
  CHECK(take_lines(file) == "export A=1");
  CHECK(take_lines(file).empty());
}
