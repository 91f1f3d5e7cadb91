// What the compactor needs of the world around it, and what it answers to "does it fit".
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/compactor/steering.h"
#include "agent/models/models.h"
#include "agent/models/provider.h"
#include "agent/protocol/event.h"
#include "agent/store/store.h"

namespace tern {

class FileMemory;
struct TodoItem;

struct Fit {
  bool fits = true;
  std::string why;  // when it does not: what the person can do
};

// What the compactor needs of the world around it.
struct CompactorWorld {
  Store& store;
  const Models& models;
  FileMemory& files;
  const std::vector<TodoItem>& todos;
  std::function<void(Event)> emit;
  std::function<std::unique_ptr<Provider>(const ModelInfo&)>
      connect;  // null when there is no way to that model
  std::function<TimePoint()> now;
  std::function<void(const std::function<void()>&)> attend;  // runs slow work while commands are answered
  std::function<ItemPtr(Item)> append;                       // logs, adds to the context, shows
  std::filesystem::path root;                                // files shown again are inside it
  std::function<bool(const std::string& why)> confirm = {};  // the person is asked; none: nobody is there
  std::uint64_t turn = 0;
  std::filesystem::path kept_in =
      {};  // the project's own folder, for notes; empty = the store alone keeps them
  std::function<void()> draft_ended = {};  // on the draft's thread
  std::function<CompactionSteering(const CompactionIntent&)> before_compaction =
      {};  // not set: nobody wants to know
  std::function<void(const CompactionOutcome&)> after_compaction = {};
};

}  // namespace tern
