#include "app/cli/demo_folder.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "agent/models/demo.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

bool in_scratch(const Options& options) {
  const bool talks = options.run == Options::Run::chat || options.run == Options::Run::print;
  return talks && options.cwd.empty() && options.prompt.empty() && options.open == Options::Open::fresh &&
         options.input_format == "text";
}

fs::path make_scratch() {
  std::error_code error;
  std::string folder = (fs::temp_directory_path(error) / "tern-demo-XXXXXX").string();
  if (error || ::mkdtemp(folder.data()) == nullptr) return {};
  for (const DemoFile& file : demo_story().files) {
    std::ofstream out(fs::path(folder) / file.name, std::ios::binary);
    out << file.text;
    if (!out.flush()) return {};
  }
  return fs::weakly_canonical(folder, error);
}

}  // namespace

std::string set_demo(const Options& options, SessionSetup& setup) {
  constexpr Tokens small = 12'000;
  if (setup.window == 0) setup.window = small;
  if (!in_scratch(options)) return {};
  const fs::path folder = make_scratch();
  if (folder.empty()) return "the demo cannot write its scratch project into the folder for temporary files";
  setup.cwd = folder;
  setup.trusted.push_back(folder);
  if (options.run == Options::Run::print && options.permission_mode.empty() && !options.bypass)
    setup.mode = PermissionMode::accept_edits;
  return {};
}

std::string first_demo_prompt(const Options& options) {
  return std::string(in_scratch(options) ? demo_story().prompt : demo_prompt());
}

}  // namespace tern
