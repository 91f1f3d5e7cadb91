// What all sessions of a user have spent today, in one small file of the user's state that every running tern
// adds to.
#pragma once

#include <filesystem>
#include <string>

#include "compression/values/conversation.h"

namespace tern {

class DayAccount {
 public:
  explicit DayAccount(std::filesystem::path file) : file_(std::move(file)) {}
  // Adds to the day of `now` and returns its sum; other processes wait for that moment. Where the file cannot
  // be written the sum is what this process has added.
  double add(double dollars, TimePoint now);

 private:
  std::filesystem::path file_;  // empty: nothing is kept
  std::string day_;
  double own_ = 0;  // of that day
};

}  // namespace tern
