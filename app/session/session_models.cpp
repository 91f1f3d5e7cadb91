// The models a session can talk to: listed, and switched between.
#include <algorithm>

#include "agent/protocol/effort.h"
#include "app/session/session_answers.h"
#include "app/session/session_commands.h"
#include "app/session/session_hooks.h"

namespace tern {
namespace {

void describe(ModelChoice& choice, const ModelInfo& info) {
  choice.window = info.window;
  choice.input = info.input;
  choice.output = info.output;
  choice.priced = info.priced;
}

// What stands between the user and this provider; empty = nothing.
std::string missing(const SessionSetup& setup, const ProviderKind& kind) {
  if (!lacks_key(kind, wire_of(setup, kind))) return {};
  return "no key: set " + std::string(kind.key_variables.substr(0, kind.key_variables.find(' ')));
}

void add(std::vector<ModelChoice>& list, ModelChoice choice) {
  const auto known =
      std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.name == choice.name; });
  if (known == list.end()) return list.push_back(std::move(choice));
  known->served |= choice.served;
  if (known->alias.empty()) known->alias = choice.alias;
}

int rank(const ModelChoice& choice) { return choice.current ? 0 : choice.served ? 1 : choice.ready ? 2 : 3; }

}  // namespace

std::string effort_name(int tokens) {
  for (const EffortLevel& effort : effort_levels())
    if (effort.tokens == tokens) return std::string(effort.name);
  return std::to_string(tokens) + " tokens of thinking";
}

std::optional<ModelName> model_named(const SessionSetup& setup, const std::string& text, std::string& why) {
  if (auto name = setup.models.resolve(text); name && find_provider(name->provider)) return name;
  const auto* kind = find_provider(text);
  if (!kind || !kind->local) {
    why = "Unknown model \"" + text + "\": write provider/name (README.md and /model list them).";
    return std::nullopt;
  }
  const auto wire = wire_of(setup, *kind);
  const auto patience = setup.local_patience * 10;  // it is asked for, not looked for
  if (const auto served = served_models(*kind, wire, patience); !served.empty())
    return ModelName{text, served.front().name};
  why = "No model is served at " + (wire.base_url.empty() ? std::string(kind->base_url) : wire.base_url) +
        ": start the server, set " + std::string(kind->url_variable) + ", or name the model: " + text +
        "/NAME.";
  return std::nullopt;
}

Tokens served_window(const SessionSetup& setup, const ModelName& name) {
  const auto* kind = find_provider(name.provider);
  if (!kind || !kind->local || kind->name == "demo") return 0;
  for (const auto& model : served_models(*kind, wire_of(setup, *kind), setup.local_patience))
    if (model.name == name.model) return model.window;
  return 0;
}

std::vector<ModelName> locally_served(const SessionSetup& setup) {
  std::vector<ModelName> names;
  for (const auto* kind : all_providers()) {
    if (!kind->local || kind->name == "demo") continue;
    for (auto& model : served_models(*kind, wire_of(setup, *kind), setup.local_patience))
      names.push_back({std::string(kind->name), std::move(model.name)});
  }
  return names;
}

std::vector<ModelChoice> model_choices(const SessionSetup& setup, const ModelName& current) {
  std::vector<ModelChoice> list;
  const auto choice = [&](const ModelName& name) {
    ModelChoice one{.name = name.provider + "/" + name.model};
    one.current = name == current;
    const auto info = setup.models.find(name.provider, name.model);
    if (info.known) describe(one, info);
    return one;
  };
  add(list, choice(current));
  for (const auto& name : locally_served(setup)) {
    auto one = choice(name);
    one.served = true;
    add(list, std::move(one));
  }
  for (const auto& text : setup.models.names()) {
    const auto alias = text.find(" = ");
    const auto name = setup.models.resolve(alias == text.npos ? text : text.substr(alias + 3));
    const auto* kind = name ? find_provider(name->provider) : nullptr;
    if (!kind) continue;
    auto one = choice(*name);
    if (alias != text.npos) one.alias = text.substr(0, alias);
    one.missing = missing(setup, *kind);
    one.ready = one.missing.empty();
    add(list, std::move(one));
  }
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return list;
}

void SessionQueries::tell(const AskModels&) { s.emit(ModelList{model_choices(s.setup_, s.model_name_)}); }

void SessionCommands::set_model(const std::string& name) {
  if (name.empty()) {
    SessionQueries{s}.answer(AskModels{});
    return;
  }
  std::string why;
  const auto found = model_named(s.setup_, name, why);
  if (!found) {
    s.emit(Notice{Level::warning, why});
  } else if (!s.connect(s.setup_.models.find(found->provider, found->model))) {
    const auto* kind = find_provider(found->provider);
    s.emit(Notice{Level::warning, "No key for " + std::string(kind->title) + ": set " +
                                      std::string(kind->key_variables) + "."});
  } else if (s.working_) {
    s.next_model_ = *found;
    s.emit(Notice{Level::info, "From the next request on: " + found->provider + "/" + found->model});
  } else {
    switch_model(*found, s.stop_.begin());
  }
}

// To a smaller window the old model compacts first: it can still read everything.
void SessionCommands::switch_model(const ModelName& name, std::stop_token stop) {
  const auto next = s.setup_.models.find(name.provider, name.model);
  if (const auto why = s.hooks_->model_refused(s.context_, name); !why.empty())
    return s.emit(Notice{Level::warning, why});
  const auto set_window = s.context_.window_override;
  if (next.window < s.context_.window()) {
    s.context_.window_override = next.window;
    s.compactor_->make_room(s.context_, stop);
    s.context_.window_override = set_window;
  }
  s.use_model(name);
  s.store_->set_model(name.provider + "/" + name.model);
  if (name.provider != "demo") remember({"model", name.provider + "/" + name.model});
  s.emit(Notice{Level::info, "Model: " + name.provider + "/" + name.model});
  s.show_meters();
}

void SessionQueries::tell(const AskEffort&) {
  s.emit(Notice{Level::info, "Effort: " + effort_name(s.agent_->limits.thinking) +
                                 ". /effort off, low, medium or high changes it."});
}

// To the next level of the table.
void SessionQueries::tell(const StepEffort& step) {
  const auto levels = effort_levels();
  const int now = s.agent_->limits.thinking;
  auto row = std::upper_bound(levels.begin(), levels.end() - 1, now,
                              [](int tokens, const EffortLevel& one) { return tokens < one.tokens; });
  if (!step.up)
    row = std::lower_bound(levels.begin() + 1, levels.end(), now,
                           [](const EffortLevel& one, int tokens) { return one.tokens < tokens; }) -
          1;
  tell(SetEffort{row->tokens});
}

void SessionQueries::tell(const SetEffort& asked) {
  int& thinking = s.agent_->limits.thinking;
  thinking = asked.tokens;
  SessionCommands{s}.remember({"thinking", std::to_string(thinking)});
  const bool idle = thinking > 0 && !s.context_.model.thinking;
  s.emit(Notice{Level::info, "Effort: " + effort_name(thinking) +
                                 (idle ? ". " + s.context_.model.name +
                                             " doesn't support thinking; models that do will use it."
                                       : ".")});
}

}  // namespace tern
