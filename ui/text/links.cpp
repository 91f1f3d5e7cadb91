#include "ui/text/links.h"

#include <unistd.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace tern {
namespace {

constexpr std::size_t most_links = 20'000, longest_target = 2'000;

struct LinkTable {
  bool allowed = false;
  std::vector<std::string> targets = {""};
  std::unordered_map<std::string, std::uint16_t> numbers;
};

LinkTable& table() {
  static LinkTable links;
  return links;
}

// Those that a URI may hold, without the quotes and brackets that end it in a text.
bool uri_byte(unsigned char c) {
  return c > 0x20 && c < 0x7f &&
         std::string_view("\"<>\\^`{|}").find(static_cast<char>(c)) == std::string_view::npos;
}

std::string percent_encoded(std::string_view path) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const char letter : path) {
    const auto c = static_cast<unsigned char>(letter);
    const bool plain = uri_byte(c) && std::string_view("%#?;").find(letter) == std::string_view::npos;
    if (plain) {
      out += letter;
      continue;
    }
    out += '%';
    out += digits[c >> 4];
    out += digits[c & 15];
  }
  return out;
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? percent_encoded(name) : std::string();
}

std::uint16_t number_of(std::string target) {
  LinkTable& links = table();
  if (target.size() > longest_target) return 0;
  if (const auto found = links.numbers.find(target); found != links.numbers.end()) return found->second;
  if (links.targets.size() >= most_links) return 0;
  const auto number = static_cast<std::uint16_t>(links.targets.size());
  links.targets.push_back(target);
  links.numbers.emplace(std::move(target), number);
  return number;
}

}  // namespace

void allow_links(bool allowed) { table().allowed = allowed; }

bool is_web_address(std::string_view address) {
  const bool known =
      address.starts_with("https://") || address.starts_with("http://") || address.starts_with("mailto:");
  return known && std::all_of(address.begin(), address.end(), uri_byte);
}

std::uint16_t web_link(std::string_view address) {
  return table().allowed && is_web_address(address) ? number_of(std::string(address)) : 0;
}

std::uint16_t file_link(std::string_view absolute_path) {
  if (!table().allowed || !absolute_path.starts_with('/')) return 0;
  static const std::string host = host_name();  // over ssh the terminal must see that the file is not its own
  return number_of("file://" + host + percent_encoded(absolute_path));
}

const std::string& link_target(std::uint16_t link) {
  const auto& targets = table().targets;
  return targets[link < targets.size() ? link : 0];
}

}  // namespace tern
