#include "agent/gate/reach.h"

#include <algorithm>
#include <cctype>

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

std::vector<PermissionRule> word_for_word(std::string_view command) {
  const bool plain =
      std::all_of(command.begin(), command.end(), [](unsigned char c) { return c >= 0x20 && c != '*'; });
  if (!plain || command.empty() || command.size() > 300 || command.ends_with(')') ||
      command.find_first_not_of(' ') != 0)
    return {};
  return {{PermissionRule::Kind::allow, "Bash", std::string(command), "this session"}};
}

std::string host_in(std::string_view command) {
  const auto is_host = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
  };
  const auto from = [&](std::size_t begin) {
    std::size_t end = begin;
    while (end < command.size() && is_host(command[end])) ++end;
    const std::string host(command.substr(begin, end - begin));
    return host.find('.') == host.npos ? std::string() : host;
  };
  for (const char* mark : {"://", "@"})
    for (std::size_t at = command.find(mark); at != command.npos; at = command.find(mark, at + 1)) {
      std::size_t begin = at + std::string_view(mark).size();
      const std::size_t user = command.find('@', begin);  // "https://user@host/"
      if (*mark == ':' && user != command.npos &&
          command.substr(begin, user - begin).find_first_of("/ '\"") == command.npos)
        begin = user + 1;
      if (std::string host = from(begin); !host.empty()) return host;
    }
  return {};
}

}  // namespace tern
