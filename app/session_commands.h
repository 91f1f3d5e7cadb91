// What the session does for each Command that is no prompt. One function per command; routing only here.
#pragma once

#include "app/session.h"

namespace tern {

struct SessionCommands {
  Session& s;

  bool live(Command& command);                       // true = done; also while a turn runs
  void run(Command& command, std::stop_token stop);  // between turns
  void switch_model(const ModelName& name, std::stop_token stop);

 private:
  void set_mode(PermissionMode mode);
  void set_model(const std::string& name);
  void shell_line(const ShellLine& line, std::stop_token stop);
  void memory_note(const std::string& text);
  void rewind(const Rewind& command);
  void redo(const Redo& command);
  void begin_anew(const Conversation& conversation);
  void sessions(const Sessions& command);
  void reload();
};

struct SessionQueries {
  Session& s;
  bool answer(const Query& query);  // false = unknown name

 private:
  void context(bool again);
  void tune(const std::string& argument);
  void recall(const std::string& argument);
  void cost();
  void status();
  void tasks();
  void earlier(bool all);
  void task_ended(const std::string& what);
  void draft_ended();
  void settings_changed();
  void summaries(const std::string& how_many);
  void sessions(const std::string& words);
  void rewind_points();
  void debug();
  void memory();
  void permissions();
  void add_rule(const std::string& text);
  void add_dir(const std::string& folder);
  void config(const std::string& argument);
  void tools();
  void models();
  void diff();
  void export_conversation(const std::string& argument);
};

}  // namespace tern
