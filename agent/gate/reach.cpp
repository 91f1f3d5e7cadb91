#include "agent/gate/reach.h"

#include <algorithm>

#include "tools/sandbox/sandbox.h"
#include "tools/workspace/workspace.h"

namespace tern {

namespace {

bool same_rules(const std::vector<PermissionRule>& a, const std::vector<PermissionRule>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& one, const auto& other) { return rule_text(one) == rule_text(other); });
}

std::string shown(const WallHit& hit, const std::string& host, const Workspace& workspace) {
  if (hit.kind == WallHit::Kind::write)
    return hit.target.empty() ? "something" : workspace.display(hit.target);
  if (!host.empty() && !hit.target.starts_with("localhost")) return host;
  return hit.target.empty() ? "the network" : hit.target;
}

}  // namespace

std::string wall_text(const std::vector<WallHit>& walls, const std::string& command,
                      const Workspace& workspace) {
  constexpr std::size_t most_named = 3;
  const std::string host = host_in(command);
  const auto targets = [&](WallHit::Kind kind) {
    std::vector<std::string> list;
    for (const auto& hit : walls)
      if (const auto name = shown(hit, host, workspace);
          hit.kind == kind && std::find(list.begin(), list.end(), name) == list.end())
        list.push_back(name);
    std::string text;
    for (std::size_t i = 0; i < std::min(list.size(), most_named); ++i)
      text += (i == 0 ? "" : ", ") + list[i];
    return text + (list.size() > most_named ? " and more" : "");
  };
  const auto files = targets(WallHit::Kind::write), hosts = targets(WallHit::Kind::connect);
  std::string text = files.empty() ? "" : "wants to write " + files;
  if (!hosts.empty()) text += (text.empty() ? "wants to connect to " : " and to connect to ") + hosts;
  return text;
}

std::string tried_text(Reach reach, const std::string& wanted) {
  const bool worked = reach == Reach::workspace || reach == Reach::repository;
  return (worked ? "It ran in the sandbox, and "
                 : "It was tried in a sandbox where nothing can change, and ") +
         wanted + ".";
}

std::vector<Offer> offers_of(const Ask& ask) {
  std::vector<Offer> offers;
  for (const auto* rules : {&ask.grants, &ask.exact})
    if (!rules->empty() && (rules == &ask.grants || !same_rules(ask.grants, ask.exact)))
      for (const bool for_project : {false, true}) offers.push_back({rules, for_project});
  return offers;
}

Sandbox sandbox_within(Sandbox sandbox, Reach reach) {
  sandbox.on = reach != Reach::own_rights;
  if (reach == Reach::look || reach == Reach::try_looking) sandbox = look_only(std::move(sandbox));
  if (reach == Reach::look) {
    sandbox.notices = Notices::none;
    sandbox.watch.reset();          // nothing that it guards can change
    sandbox.own_processes = false;  // "ps" shows what runs
  }
  if ((reach == Reach::workspace || reach == Reach::repository) && !sandbox.network)
    sandbox.notices = Notices::connections;
  if (reach == Reach::repository) sandbox = with_repository(std::move(sandbox));
  sandbox.hide_secrets = reach == Reach::try_looking || reach == Reach::workspace;
  return sandbox;
}

}  // namespace tern
