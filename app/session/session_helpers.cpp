// The session's helpers: what the tool Task works with.
#include "agent/helpers/helper_desk.h"
#include "agent/turn/context_tools.h"
#include "app/session/session_commands.h"

namespace tern {

void SessionCommands::add_task_tool() {
  std::string memory;
  for (const auto& file : s.memory_) memory += '\n' + memory_text(file);
  s.helpers_ = std::make_unique<HelperDesk>(HelperSetup{
      .parent = [session = &s]() -> Agent& { return *session->agent_; },
      .inbox = s.inbox_,
      .models = s.setup_.models,
      .connect = [session = &s](const ModelInfo& model) { return session->connect(model); },
      .store = {.folder = s.setup_.keep && !s.setup_.read_only ? s.project_.folder : std::filesystem::path()},
      .agents = s.brought_.agents,
      .where = s.where_,
      .memory = std::move(memory),
      .most = s.setup_.helper_tokens,
      .next_question = [session = &s] { return session->next_question_++; },
  });
  s.tools_.add(s.helpers_->tool());
}

}  // namespace tern
