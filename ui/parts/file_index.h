// The names of the project's files for `@`: listed once in the background, searched in milliseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tern {

struct FuzzyHit {
  std::size_t index = 0;
  int score = 0;
};
// Subsequence match, better at word beginnings, in the file name, in runs, in short paths. Best first, at
// most `most`.
std::vector<FuzzyHit> fuzzy(const std::vector<std::string>& names, std::string_view query, std::size_t most);

class FileIndex {
 public:
  using Lister = std::function<std::vector<std::string>(std::stop_token)>;
  FileIndex(Lister lister, std::function<void()> ready);
  void refresh();  // starts listing when it is not under way
  std::vector<std::string> search(std::string_view query, std::size_t most) const;
  bool listed() const;
  bool changed();  // true once after each listing

 private:
  Lister lister_;
  std::function<void()> ready_;
  mutable std::mutex mutex_;
  std::shared_ptr<const std::vector<std::string>> names_;
  bool running_ = false, changed_ = false;
  std::jthread thread_;
};

}  // namespace tern
