#include "tools/exec/process_request.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <random>

namespace tern {

namespace {

void add_paths(Fields& fields, const char* key, const std::vector<std::filesystem::path>& paths) {
  for (const auto& path : paths) fields.emplace_back(key, path.string());
}

}  // namespace

std::string reason(const char* what, int error) { return std::string(what) + ": " + std::strerror(error); }

Fields request_of(const ProcessSpec& spec, const std::string& cookie, unsigned long long files) {
  Fields fields;
  for (const std::string& word : spec.argv) fields.emplace_back("arg", word);
  for (const std::string& entry : spec.env) fields.emplace_back("env", entry);
  fields.emplace_back("env", cookie);
  // The input is a socket: a bash of the first level would take it for a remote login and read the user's
  // .bashrc.
  const auto has_level = std::any_of(spec.env.begin(), spec.env.end(),
                                     [](const auto& one) { return one.starts_with("SHLVL="); });
  if (spec.two_way && !has_level) fields.emplace_back("env", "SHLVL=1");
  fields.emplace_back("cwd", spec.cwd.string());
  fields.emplace_back("linger", std::to_string(spec.linger.count()));
  fields.emplace_back("grace", std::to_string(spec.grace.count()));
  fields.emplace_back("processes", std::to_string(spec.max_processes));
  fields.emplace_back("files", std::to_string(files));
  fields.emplace_back("stay", "1");
  if (spec.two_way) fields.emplace_back("two_way", "1");
  if (spec.report_cwd) fields.emplace_back("report_cwd", "1");
  if (!spec.sandbox.on) return fields;
  fields.emplace_back("sandbox", std::to_string(static_cast<int>(spec.sandbox.rung)));
  if (spec.sandbox.own_processes) fields.emplace_back("own_processes", "1");
  if (spec.sandbox.notices != Notices::none)
    fields.emplace_back("notices", std::to_string(static_cast<int>(spec.sandbox.notices)));
  if (spec.sandbox.network) fields.emplace_back("network", "1");
  add_paths(fields, "writable", spec.sandbox.writable);
  add_paths(fields, "read_only", spec.sandbox.read_only);
  add_paths(fields, "hidden", spec.sandbox.hidden);
  if (!spec.sandbox.temp.empty()) fields.emplace_back("temp", spec.sandbox.temp.string());
  return fields;
}

std::string random_cookie() {
  static std::atomic<unsigned> count{0};
  std::random_device random;
  return "TERN_COMMAND=" + std::to_string(random()) + std::to_string(random()) + "-" +
         std::to_string(++count);
}

void take_end(std::string_view record, ProcessEnd& end, bool& may_stay) {
  for (const auto& [key, value] : unpack_fields(record)) {
    if (key == "status")
      end.status = std::atoi(value.c_str());
    else if (key == "signal")
      end.signal = std::atoi(value.c_str());
    else if (key == "strays")
      end.strays = std::atoi(value.c_str());
    else if (key == "stopped")
      end.stopped = true;
    else if (key == "stays")
      may_stay = true;
    else if (key == "error")
      end.error = value;
    else if (key == "watched")
      end.watched = true;
    else if (key == "wall_write")
      end.walls.push_back({WallHit::Kind::write, value});
    else if (key == "wall_connect")
      end.walls.push_back({WallHit::Kind::connect, value});
    else if (key == "cwd")
      end.cwd = value;
  }
}

// A NUL would cut the request short, and everything after it would be something the gate never saw.
std::string why_unusable(const ProcessSpec& spec) {
  if (spec.argv.empty()) return "no command";
  const auto cut = [](const std::string& s) { return s.find('\0') != std::string::npos; };
  if (std::any_of(spec.argv.begin(), spec.argv.end(), cut) ||
      std::any_of(spec.env.begin(), spec.env.end(), cut) || cut(spec.cwd.string()))
    return "the command holds a NUL byte";
  if (std::any_of(spec.argv.begin(), spec.argv.end(),
                  [](const std::string& s) { return s.size() >= 128 * 1024; }))
    return "the command is longer than 128 KB, which the system does not take; write it to a file and run "
           "that";
  std::error_code error;
  if (!std::filesystem::is_directory(spec.cwd, error))
    return reason(("the working directory " + spec.cwd.string() + " cannot be entered").c_str(),
                  error ? error.value() : ENOTDIR);
  return {};
}

}  // namespace tern
