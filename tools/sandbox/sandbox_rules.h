// What a child may do, as a value.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tern {

class ProtectedWatch;

enum class SandboxRung { none, landlock, namespaces };
// Which calls of a sandboxed command the supervisor notes (wall_watch.h). Connections alone cost a build
// nothing.
enum class Notices { none, connections, all };

struct Sandbox {
  bool on = false;
  bool network = false;                         // granted
  SandboxRung rung = SandboxRung::none;         // the best this kernel gives; from probe_sandbox()
  bool own_processes = false;                   // sees and reaches none but its own; from probe_sandbox()
  std::vector<std::filesystem::path> writable;  // the workspace and what --add-dir added
  std::vector<std::filesystem::path>
      read_only;                              // protected although below a writable directory; may be missing
  std::vector<std::filesystem::path> hidden;  // empty inside: keys; with Landlock alone they cannot be read
  Notices notices = Notices::none;            // what ProcessEnd::walls is told of
  std::filesystem::path temp;                 // private, writable, TMPDIR of the child
  bool repository = false;                    // .git is writable, but for what with_repository() names
  bool hide_secrets = false;              // files by names that keys are kept under, also in the workspace
  std::shared_ptr<ProtectedWatch> watch;  // finds protected names that came later; not for the child
};

}  // namespace tern
