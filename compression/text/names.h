// Names in a text: what a later step may have to write from memory. Pure lexing, one pass, no regex, no
// allocation per name.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tern {

// `place` is file:line, `number` an issue, hash, version or long number, `error` four words of a line that
// reports an error.
enum class NameKind : std::uint8_t { url, path, file, place, ident, flag, number, command, error };

struct Name {
  NameKind kind;
  std::string_view text;  // borrowed from the line; a path is its last two parts
};

// JSON text escapes newlines and quotes: there `\n` ends a word and no backslash belongs to a name.
enum class Escapes : std::uint8_t { plain, json };

// A text and what its bytes are, 64 at a time: the block that was looked at last.
struct NameText {
  std::string_view text;
  Escapes escapes = Escapes::plain;
  std::size_t block = ~std::size_t{0};
  std::uint64_t piece = 0, mark = 0, special = 0, upper = 0, digit = 0, under = 0, joint = 0;
};

// Appends the names of one line; each may come more than once. True when the line reports an error.
bool scan_names(std::string_view line, Escapes escapes, std::vector<Name>& out);
// The same for the line text[begin, end); lines taken in order look at each block once.
bool scan_names(NameText& text, std::size_t begin, std::size_t end, std::vector<Name>& out);

// Whether the line says that something went wrong ("error", "failed", "not found", "Traceback" …).
bool reports_error(std::string_view line);

// Appends the runs of four words of a line (one that reports an error): how an error is quoted later.
void scan_error_runs(std::string_view line, std::vector<Name>& out);

// 64 bits that stand for the name (kind included); equal names have equal keys in every run.
std::uint64_t key_of(const Name& name);
std::uint64_t hash_text(std::string_view text);

}  // namespace tern
