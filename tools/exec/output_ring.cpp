#include "tools/exec/output_ring.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tern {

namespace {

// Length of the valid UTF-8 sequence at `at`; 0 when there is none (overlong forms, surrogates and cut ones
// included).
std::size_t sequence_at(const std::string& s, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const auto next = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned lead = byte(at), second = byte(at + 1);
  if (lead < 0x80) return lead == 0 ? 0 : 1;
  if (lead >= 0xc2 && lead <= 0xdf) return next(at + 1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f)) return 0;
    return next(at + 1) && next(at + 2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if ((lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) return 0;
    return next(at + 1) && next(at + 2) && next(at + 3) ? 4 : 0;
  }
  return 0;
}

bool continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

}  // namespace

// Sixteen bytes at a time: equal bytes compare to -1, and 255 rounds fit in a byte.
std::uint64_t newlines_in(std::string_view bytes) {
  using Sixteen = unsigned char __attribute__((vector_size(16)));
  std::uint64_t count = 0;
  while (bytes.size() >= 16) {
    Sixteen found{};
    for (int round = 0; round < 255 && bytes.size() >= 16; ++round, bytes.remove_prefix(16)) {
      Sixteen part;
      std::memcpy(&part, bytes.data(), sizeof part);
      found -= part == static_cast<unsigned char>('\n');
    }
    for (int i = 0; i < 16; ++i) count += found[i];
  }
  return count + static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
}

std::string valid_utf8(std::string bytes) {
  std::size_t good = 0;
  while (good < bytes.size()) {
    const std::size_t length = sequence_at(bytes, good);
    if (length == 0) break;
    good += length;
  }
  if (good == bytes.size()) return bytes;
  std::string clean = bytes.substr(0, good);
  for (std::size_t at = good; at < bytes.size();) {
    const std::size_t length = sequence_at(bytes, at);
    if (length == 0)
      clean += "\xef\xbf\xbd", ++at;
    else
      clean.append(bytes, at, length), at += length;
  }
  return clean;
}

OutputRing::OutputRing(std::filesystem::path spill_file) : wanted_(std::move(spill_file)) {}

OutputRing::OutputRing(OutputRing&& other) noexcept { *this = std::move(other); }

OutputRing& OutputRing::operator=(OutputRing&& other) noexcept {
  std::swap(head_, other.head_);
  std::swap(tail_, other.tail_);
  std::swap(tail_at_, other.tail_at_);
  std::swap(bytes_, other.bytes_);
  std::swap(newlines_, other.newlines_);
  std::swap(spilled_, other.spilled_);
  std::swap(ends_with_newline_, other.ends_with_newline_);
  std::swap(fd_, other.fd_);
  std::swap(wanted_, other.wanted_);
  std::swap(spill_, other.spill_);
  std::swap(trouble_, other.trouble_);
  return *this;
}

OutputRing::~OutputRing() {
  if (fd_ >= 0) ::close(fd_);
}

void OutputRing::append(std::string_view bytes) {
  if (bytes.empty()) return;
  newlines_ += newlines_in(bytes);
  ends_with_newline_ = bytes.back() == '\n';
  if (bytes_ + bytes.size() > 2 * keep && !wanted_.empty()) {
    if (fd_ < 0 && trouble_.empty()) {
      // Only now is it known that memory will not hold everything.
      fd_ = ::open(wanted_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
      if (fd_ < 0)
        trouble_ = "the whole output could not be kept: " + wanted_.string() + ": " + std::strerror(errno);
      else
        spill_ = wanted_;
      spill_out(head_);
      spill_out(tail());
    }
    spill_out(bytes);
  }
  bytes_ += bytes.size();
  const std::size_t fits = std::min(bytes.size(), keep - head_.size());
  head_.append(bytes.substr(0, fits));
  remember_tail(bytes.substr(fits));
}

void OutputRing::remember_tail(std::string_view bytes) {
  if (bytes.size() >= keep) {
    tail_.assign(bytes.substr(bytes.size() - keep));
    tail_at_ = 0;
    return;
  }
  const std::size_t grows = std::min(bytes.size(), keep - tail_.size());
  tail_.append(bytes.substr(0, grows));
  for (bytes.remove_prefix(grows); !bytes.empty();) {
    const std::size_t part = std::min(bytes.size(), keep - tail_at_);
    tail_.replace(tail_at_, part, bytes.substr(0, part));
    tail_at_ = (tail_at_ + part) % keep;
    bytes.remove_prefix(part);
  }
}

std::string OutputRing::tail() const { return tail_.substr(tail_at_) + tail_.substr(0, tail_at_); }

void OutputRing::spill_out(std::string_view bytes) {
  bytes =
      bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), spill_cap - spilled_)));
  while (fd_ >= 0 && !bytes.empty()) {
    const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      trouble_ = "the file with the whole output stops after " + std::to_string(spilled_) +
                 " bytes: " + std::strerror(errno);
      ::close(fd_);
      fd_ = -1;
      return;
    }
    spilled_ += static_cast<std::uint64_t>(put);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

std::uint64_t OutputRing::lines() const { return newlines_ + (ends_with_newline_ ? 0 : 1); }

std::string OutputRing::text() const {
  std::string end = tail();
  if (whole()) return valid_utf8(head_ + end);
  // Cut on line boundaries where there are any near the cut, else between characters.
  std::size_t stop = head_.rfind('\n');
  if (stop == std::string::npos || stop + 4096 < head_.size()) {
    stop = head_.size();
    while (stop > 0 && continuation(head_[stop - 1])) --stop;
    stop -= stop > 0 && static_cast<unsigned char>(head_[stop - 1]) >= 0xc0 ? 1 : 0;
  } else {
    ++stop;
  }
  std::size_t from = end.find('\n');
  from = from == std::string::npos || from > 4096 ? 0 : from + 1;
  while (from < end.size() && continuation(end[from])) ++from;
  const std::uint64_t shown = stop + (end.size() - from);
  const std::string_view head(head_.data(), stop), rest = std::string_view(end).substr(from);
  const std::uint64_t middle = newlines_ - newlines_in(head) - newlines_in(rest);
  std::string text(head);
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += "[… " + std::to_string(bytes_ - shown) + " bytes, " + std::to_string(middle) +
          (middle == 1 ? " line" : " lines") + " not shown here …]\n";
  return valid_utf8(text.append(rest));
}

std::uint64_t OutputRing::complete() const {
  const auto byte_before_end = [&](std::size_t back) {
    return static_cast<unsigned char>(back <= tail_.size()
                                          ? tail_[(tail_at_ + tail_.size() - back) % tail_.size()]
                                          : head_[head_.size() - (back - tail_.size())]);
  };
  for (std::size_t back = 1; back <= 3 && back <= head_.size() + tail_.size(); ++back) {
    const unsigned lead = byte_before_end(back);
    if ((lead & 0xc0u) == 0x80u) continue;
    const std::size_t length = lead > 0xf4 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
    return length > back ? bytes_ - back : bytes_;
  }
  return bytes_;
}

std::string OutputRing::since(std::uint64_t offset, std::uint64_t until) const {
  until = std::min(until, bytes_);
  if (offset >= until) return {};
  const auto part = [&](const std::string& held, std::uint64_t begins) {  // of what is held, and begins there
    const auto from = static_cast<std::size_t>(std::max(offset, begins) - begins);
    return held.substr(std::min(from, held.size()),
                       static_cast<std::size_t>(until > begins + from ? until - begins - from : 0));
  };
  const std::uint64_t tail_begins = bytes_ - tail_.size(),
                      skipped_from = std::max<std::uint64_t>(offset, head_.size());
  std::string text = offset < head_.size() ? part(head_, 0) : std::string();
  if (skipped_from < std::min(tail_begins, until))
    text += (text.empty() ? "" : "\n") +
            ("[… " + std::to_string(std::min(tail_begins, until) - skipped_from)) +
            " bytes not shown here …]\n";
  return valid_utf8(text += part(tail(), tail_begins));
}

std::string OutputRing::last_line() const {
  if (ends_with_newline_) return {};
  const std::string end =
      tail_.empty() ? head_.substr(head_.size() - std::min<std::size_t>(head_.size(), 400)) : tail();
  const std::string_view last =
      std::string_view(end).substr(end.size() - std::min<std::size_t>(end.size(), 400));
  const std::size_t newline = last.find_last_of("\n\r");
  return std::string(newline == last.npos ? last : last.substr(newline + 1));
}

std::string OutputRing::note() const {
  if (!trouble_.empty()) return trouble_;
  if (!spill_.empty() && bytes_ > spill_cap)
    return "the file with the output holds its first 64 MiB of " + std::to_string(bytes_) + " bytes";
  return {};
}

}  // namespace tern
