// What the session tells the script of the user's status line.
#include <utility>

#include "app/session/session_parts.h"
#include "app/session/status_script.h"
#include "tools/sandbox/child_env.h"

namespace tern {

namespace {

std::unique_ptr<StatusScript> start_script(const SessionSetup& setup, StatusScript::Shown shown) {
  const StatusLineSetting& setting = setup.status_line;
  auto run = [command = setting.command, cwd = setup.cwd, allowed = setup.allowed_env](
                 const std::string& json, const std::stop_token& stop) {
    return run_status_script(command, cwd, child_env(current_env(), allowed, {}), json, stop);
  };
  const StatusScript::Pace pace{.refresh = std::chrono::seconds(setting.refresh_s)};
  return std::make_unique<StatusScript>(std::move(run), pace, std::move(shown));
}

}  // namespace

void SessionParts::tell_status(const Meters& meters) {
  if (setup_.status_line.command.empty()) return;
  if (!status_script_)
    status_script_ = start_script(setup_, [this](std::string text) { emit_(StatusText{std::move(text)}); });
  const auto rows = store_->compactions();
  const std::string project = workspace_->root().string();
  const std::string model = model_name_.provider + "/" + model_name_.model;
  status_script_->tell(status_json({.meters = meters,
                                    .session_id = opened_.id,
                                    .provider_model = model,
                                    .project_dir = project,
                                    .version = setup_.version,
                                    .added_dirs = setup_.extra_dirs,
                                    .total = store_->usage_total(),
                                    .duration = status_script_->age(),
                                    .tier = rows.empty() ? Tier::none : rows.back().tier}));
}

}  // namespace tern
