#include "app/session/session_search.h"

#include <utility>

#include "agent/models/hosted_search.h"
#include "agent/web/web_search.h"

namespace tern {
namespace {

WebSearcher searcher_for(const SearchSetup& world) {
  WebSearcher searcher;
  world.inbox.on_owner([&] {
    const auto& model = world.agent().context.model;
    const auto who = searcher_of(model.provider);
    const auto& name = model.small_model.empty() ? model.name : model.small_model;
    if (!who.empty()) {
      searcher.model = world.setup.models.find(who, name);
      searcher.provider = world.connect(searcher.model);
    }
    if (!searcher.provider) searcher.error = model.provider + " has no search of the web. Use WebFetch.";
  });
  return searcher;
}

void charge(const SearchSetup& world, const ModelInfo& model, const TokenUsage& used) {
  world.inbox.on_owner([&] {
    auto& agent = world.agent();
    const double dollars = search_dollars(model, used);
    UsageRow row{.turn = agent.turn, .provider = model.provider, .model = model.name, .purpose = "search"};
    row.input = used.input, row.output = used.output;
    row.cache_read = used.cache_read, row.cache_write = used.cache_write;
    row.dollars = dollars, row.when = agent.now();
    agent.store.add_usage(row);
    agent.context.gauges.spent(dollars, model.priced);
    agent.show_meters();
  });
}

}  // namespace

Tool session_search_tool(const SearchSetup& world) {
  SearchDoors doors;
  doors.connect = [world] { return searcher_for(world); };
  doors.charge = [world](const ModelInfo& model, const TokenUsage& used) { charge(world, model, used); };
  return web_search_tool(std::move(doors));
}

}  // namespace tern
