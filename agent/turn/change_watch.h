// Who looks at the files that calls change, and what the model is told of it.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

namespace tern {

class Workspace;

struct ChangeNews {
  std::string text;  // for the model, behind the call's result; empty: nothing
  std::string note;  // for people: "2 new errors"
};

struct ChangeWatch {
  std::function<void(const std::string& path)> expect =
      {};  // a call reads the file or may be about to change it; returns at once
  std::function<ChangeNews(const Workspace& workspace, const std::string& path, std::stop_token stop)>
      changed = {};                                                   // any thread
  std::function<std::string(const std::string& words)> command = {};  // "/lsp …": what it did, and the page
};

}  // namespace tern
