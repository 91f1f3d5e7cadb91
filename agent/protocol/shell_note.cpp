#include "agent/protocol/shell_note.h"

#include <algorithm>

namespace tern {
namespace {
constexpr std::string_view head = "[The user ran this command themselves.]\n$ ";
}

std::string shell_note(std::string_view command, std::string_view output) {
  return std::string(head) + std::string(command) + "\n" + std::string(output);
}

std::optional<ShellNote> read_shell_note(const Item& item) {
  const auto* text =
      item.synthetic && item.blocks.size() == 1 ? std::get_if<Text>(&item.blocks.front()) : nullptr;
  if (!text || !text->text.starts_with(head)) return std::nullopt;
  const std::string_view rest = std::string_view(text->text).substr(head.size());
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  return ShellNote{std::string(rest.substr(0, end)),
                   std::string(rest.substr(std::min(end + 1, rest.size())))};
}

}  // namespace tern
