// What the session does for each Command that is no prompt. One function per command; routing only here.
#pragma once

#include "app/session/session_parts.h"

namespace tern {

struct SessionCommands {
  SessionParts& s;

  bool live(Command& command);                       // true = done; also while a turn runs
  void run(Command& command, std::stop_token stop);  // between turns
  void switch_model(const ModelName& name, std::stop_token stop);
  void set_model(const std::string& name);
  void remember(const Remember& choice);
  void load_brought();     // and tells the screen what there is
  void ask_for_entries();  // of a trusted project: each once, and again when it has changed
  void tell_brought();
  // A prompt that names a command becomes what the command stands for. The rules and the model it brings hold
  // until end_prompt(). Empty, or why it cannot be sent.
  std::string begin_prompt(Submit& input, std::stop_token stop);
  void end_prompt();
  bool knows(const RunCommand& named) const;  // else the user is told
  std::string find_skills();                  // and what the system prompt says of them
  void add_skill_tool();                      // only when there are skills for the model
  std::string use_skill(const Skill& skill, const std::string& arguments);  // what the model is told of it
  void put_in_skills();                                                     // whose instructions wait
  void add_task_tool();         // known always, offered where there are agents
  void put_in_folder_memory();  // of folders that a tool has met since the last request

 private:
  void set_mode(PermissionMode mode);
  void login(const Login& login, std::stop_token stop);
  void logout(const Logout& logout);
  void shell_line(const ShellLine& line, std::stop_token stop);
  void memory_note(const std::string& text);
  void aside(const Aside& command, std::stop_token stop);
  void keep_aside();
  void rewind(const Rewind& command);
  void redo(const Redo& command);
  void begin_anew(const Conversation& conversation);
  void sessions(const Sessions& command);
  void reload();
  BroughtPlaces places() const;
  void begin_skill(const std::string& name);
  bool as_approved(const Skill& skill);
  void make_room_for_skill(Tokens tokens);
  void allow_skill(const Skill& skill);
  void allow_tools(const UserCommand& command);
  void answer_with(const std::string& model);
  std::string run_for_command(const std::string& line, std::stop_token stop);
  std::optional<std::string> read_for_command(const std::string& path);
};

// Makes the sandbox for this workspace ready and says in the policy whether it is.
void ready_sandbox(ToolEnvironment& hands, const Workspace& workspace, bool network);

std::string effort_name(int tokens);  // of thinking: "off", "low" …

std::vector<ModelName> locally_served(const SessionSetup& setup);
// What /model lists; asks the local servers, for a moment each.
std::vector<ModelChoice> model_choices(const SessionSetup& setup, const ModelName& current);

}  // namespace tern
