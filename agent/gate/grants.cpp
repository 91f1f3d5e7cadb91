// What may be offered to be granted for a command beside a prefix of it.
#include <algorithm>
#include <cctype>

#include "agent/gate/permission.h"

namespace tern {

std::vector<PermissionRule> word_for_word(std::string_view command) {
  const bool plain =
      std::all_of(command.begin(), command.end(), [](unsigned char c) { return c >= 0x20 && c != '*'; });
  if (!plain || command.empty() || command.size() > 300 || command.ends_with(')') ||
      command.find_first_not_of(' ') != 0)
    return {};
  return {{PermissionRule::Kind::allow, "Bash", std::string(command), "this session"}};
}

std::string host_in(std::string_view command) {
  const auto is_host = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
  };
  const auto from = [&](std::size_t begin) {
    std::size_t end = begin;
    while (end < command.size() && is_host(command[end])) ++end;
    const std::string host(command.substr(begin, end - begin));
    return host.find('.') == host.npos ? std::string() : host;
  };
  for (const char* mark : {"://", "@"})
    for (std::size_t at = command.find(mark); at != command.npos; at = command.find(mark, at + 1)) {
      std::size_t begin = at + std::string_view(mark).size();
      const std::size_t user = command.find('@', begin);  // "https://user@host/"
      if (*mark == ':' && user != command.npos &&
          command.substr(begin, user - begin).find_first_of("/ '\"") == command.npos)
        begin = user + 1;
      if (std::string host = from(begin); !host.empty()) return host;
    }
  return {};
}

}  // namespace tern
