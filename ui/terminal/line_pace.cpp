#include "ui/terminal/line_pace.h"

#include <algorithm>
#include <utility>

namespace tern {
namespace {

constexpr std::size_t bytes_between = 4'096;  // on a fast line
constexpr std::size_t few_bytes = 256;
constexpr int first_questions = 2;
constexpr std::int64_t usual_way_ms = 150;
constexpr std::int64_t slow_ms = 80, given_up_ms = 5'000, longest_rest_ms = 500, first_answer_ms = 1'000;
constexpr std::int64_t fast_bytes_per_ms = 20;

}  // namespace

bool LinePace::asks(std::size_t bytes, std::int64_t now_ms) {
  bytes_ += bytes;
  const bool due = slow_ || asked_ < first_questions || bytes_ >= bytes_between;
  if (!due || open_.size() >= first_questions) return false;
  open_.push_back({now_ms, std::exchange(bytes_, 0)});
  ++asked_;
  return true;
}

void LinePace::answered(std::int64_t now_ms) {
  if (open_.empty()) return;
  const Question question = open_.front();
  open_.pop_front();
  answered_ms_ = now_ms;
  took_ms_ = now_ms - question.ms;
  // Only an answer behind a few bytes tells how far away the terminal is. A few bytes are quick on any line,
  // though: that it has become fast is told by many.
  if (question.bytes < few_bytes && (way_ms_ < 0 || took_ms_ < way_ms_)) way_ms_ = took_ms_;
  const std::int64_t way_ms = way_ms_ < 0 ? std::min(took_ms_, usual_way_ms) : way_ms_;
  const std::int64_t longer_ms = std::max<std::int64_t>(0, took_ms_ - way_ms);
  const auto fast_bytes = static_cast<std::size_t>(longer_ms * fast_bytes_per_ms);
  heard_ = true;
  if (longer_ms > slow_ms) slow_ = true;
  if (slow_ && question.bytes > std::max(few_bytes, fast_bytes)) slow_ = false;
}

std::int64_t LinePace::open_ms(bool for_key, std::int64_t now_ms) {
  if (!open_.empty() && now_ms - open_.front().ms >= given_up_ms) {
    open_.clear();
    slow_ = false;
  }
  if (!heard_) return now_ms;
  if (!open_.empty()) {
    const std::int64_t late_ms = open_.front().ms + std::max(way_ms_, usual_way_ms) + slow_ms;
    if (slow_ || now_ms > late_ms) return open_.front().ms + given_up_ms;
  }
  if (!slow_ || for_key) return now_ms;
  return answered_ms_ + std::min(took_ms_, longest_rest_ms);
}

std::int64_t LinePace::answer_until_ms() const {
  if (open_.empty()) return 0;
  return open_.back().ms + (heard_ ? given_up_ms : first_answer_ms);
}

}  // namespace tern
