// How definitions begin in the languages that are lexed.
#pragma once

#include <algorithm>
#include <string_view>

#include "compression/text/lines.h"

namespace tern {

enum class What { function, type };

// How a definition begins in a language, after its modifiers.
struct Opening {
  std::string_view language, words;
  What what;
};
inline constexpr Opening openings[] = {
    {"Python", "def ", What::function},
    {"Python", "class ", What::type},
    {"JavaScript", "function ", What::function},
    {"JavaScript", "function* ", What::function},
    {"JavaScript", "class ", What::type},
    {"TypeScript", "function ", What::function},
    {"TypeScript", "function* ", What::function},
    {"TypeScript", "class ", What::type},
    {"TypeScript", "interface ", What::type},
    {"TypeScript", "type ", What::type},
    {"TypeScript", "enum ", What::type},
    {"TypeScript", "namespace ", What::type},
    {"Java", "class ", What::type},
    {"Java", "interface ", What::type},
    {"Java", "enum ", What::type},
    {"Java", "record ", What::type},
    {"C", "struct ", What::type},
    {"C", "enum ", What::type},
    {"C", "union ", What::type},
    {"C++", "class ", What::type},
    {"C++", "struct ", What::type},
    {"C++", "enum class ", What::type},
    {"C++", "enum ", What::type},
    {"C++", "union ", What::type},
    {"C++", "using ", What::type},
    {"C#", "class ", What::type},
    {"C#", "interface ", What::type},
    {"C#", "enum ", What::type},
    {"C#", "struct ", What::type},
    {"C#", "record ", What::type},
    {"Go", "func ", What::function},
    {"Go", "type ", What::type},
    {"Rust", "fn ", What::function},
    {"Rust", "struct ", What::type},
    {"Rust", "enum ", What::type},
    {"Rust", "trait ", What::type},
    {"Rust", "type ", What::type},
    {"PHP", "function ", What::function},
    {"PHP", "class ", What::type},
    {"PHP", "interface ", What::type},
    {"PHP", "trait ", What::type},
    {"Ruby", "def ", What::function},
    {"Ruby", "class ", What::type},
    {"Ruby", "module ", What::type},
    {"Kotlin", "fun ", What::function},
    {"Kotlin", "class ", What::type},
    {"Kotlin", "interface ", What::type},
    {"Kotlin", "object ", What::type},
    {"Swift", "func ", What::function},
    {"Swift", "class ", What::type},
    {"Swift", "struct ", What::type},
    {"Swift", "enum ", What::type},
    {"Swift", "protocol ", What::type},
    {"Shell", "function ", What::function},
    {"Scala", "def ", What::function},
    {"Scala", "class ", What::type},
    {"Scala", "object ", What::type},
    {"Scala", "trait ", What::type},
    {"Lua", "function ", What::function},
};

inline constexpr std::string_view modifiers[] = {
    "export ",  "default ",   "async ",      "public ",   "static ",  "final ",    "abstract ",  "sealed ",
    "partial ", "pub ",       "pub(crate) ", "unsafe ",   "const ",   "extern ",   "open ",      "data ",
    "suspend ", "inline ",    "override ",   "internal ", "declare ", "typedef ",  "constexpr ", "virtual ",
    "local ",   "protected ", "case ",       "readonly ", "@objc ",   "mutating ",
};

// Words that never name a C-like function though a parenthesis follows.
inline constexpr std::string_view not_functions[] = {
    "if",    "for",     "while",     "switch",   "return",   "catch",         "sizeof", "else",
    "do",    "new",     "delete",    "throw",    "defined",  "static_assert", "assert", "case",
    "using", "typedef", "namespace", "template", "decltype", "TEST_CASE",     "TEST",   "SECTION"};

inline bool is_one_of(std::string_view name, const auto& list) {
  for (const auto word : list) {
    if (word == name) return true;
  }
  return false;
}

inline bool take_modifiers(std::string_view& code) {
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (const auto modifier : modifiers) again = take(code, modifier) || again;
    any = any || again;
  }
  return any;
}

}  // namespace tern
