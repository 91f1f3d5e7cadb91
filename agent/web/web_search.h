// WebSearch: the search of the web that the model's own provider offers. It is a request of its own, so that
// the user is asked before it and its words come back as those of any tool.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/models/models.h"
#include "agent/models/provider.h"
#include "tools/set/tool.h"

namespace tern {

// One search: who is asked, and by which model.
struct WebSearcher {
  std::unique_ptr<Provider> provider;  // null: `error` says why there is none
  ModelInfo model;
  std::string error;
};

struct SearchDoors {
  std::function<WebSearcher()> connect;
  std::function<void(const ModelInfo&, const TokenUsage&)> charge;
};

// Without doors it is known by name alone, for rules.
Tool web_search_tool(SearchDoors doors = {});

// What a search costs, its own price included.
double search_dollars(const ModelInfo& model, const TokenUsage& usage);

}  // namespace tern
