#include "tools/workspace/shadow.h"

#include <fcntl.h>
#include <unistd.h>

#include "tools/workspace/file.h"

namespace tern {

std::optional<Shadow::Copy> Shadow::keep(std::string_view bytes) {
  if (bytes.size() > keep_file || full()) return std::nullopt;
  if (!fd_) {
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    fd_ = Fd(::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (!fd_)
      fd_ = Fd(
          ::open(std::filesystem::temp_directory_path(error).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (!fd_) return std::nullopt;
  }
  if (::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(size_)) !=
      static_cast<ssize_t>(bytes.size()))
    return std::nullopt;
  Copy copy{size_, bytes.size(), content_hash(bytes)};
  size_ += bytes.size();
  return copy;
}

std::optional<std::string> Shadow::read(const Copy& copy) const {
  std::string bytes(copy.size, '\0');
  if (copy.size > 0 && ::pread(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(copy.at)) !=
                           static_cast<ssize_t>(bytes.size()))
    return std::nullopt;
  return bytes;
}

void Shadow::clear() {
  fd_ = Fd();
  size_ = 0;
}

}  // namespace tern
