// The one table of flags: parsing, help, completion and the manual page are made from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tern {

struct Options;

struct Flag {
  std::string_view name;   // "--model"
  char letter;             // 'm', 0 = none
  std::string_view value;  // "NAME"; empty = none; "[ID]" = may be left out
  std::string_view help;
  std::string_view choices;  // "text json stream-json", for completion and checking
  std::string (*take)(Options& options,
                      const std::string& value);  // what is wrong with the value; empty = taken
};
const std::vector<Flag>& all_flags();

struct SubcommandRow {
  std::string_view name, arguments, help;
};
const std::vector<SubcommandRow>& all_subcommands();
// The subcommand a lone word was probably meant to be; empty = it is a prompt.
std::string_view misspelled_subcommand(std::string_view word);

// The nearest of the known words, when one is near enough to be meant.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace tern
