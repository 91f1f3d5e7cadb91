// What is known about programs: one row for each in programs.inc. A row only says what is so; what follows
// from it is decided by whoever reads the column. A program without a row is unknown, which is never
// harmless. Lists are words separated by blanks. Of ways out, "x*" is a pattern ("-W+*.*" of two words), "=x"
// that word alone; a long option is also meant by its beginning and a letter among others.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace tern {

// What a command is known to do beyond looking, the least first.
enum class Effects {
  unknown,
  writes,      // files
  repository,  // .git and files of the work tree
  network,     // other machines
  machine,     // what runs on this one: daemons, packages, other rights, other programs' windows
};

// What the words are that are no options.
enum class Operands { nothing, text, paths, pattern_then_paths, anything };

// The options with which a program only looks: letters as for getopt ("c:" takes a value), long ones by name.
struct Looks {
  std::string_view shorts, longs;
  Operands takes = Operands::paths;
  std::size_t most = 1000;  // words that are no options
};

// The letters with which a verb only looks, the options that make it look, or the forms of the words behind
// it ("get-url+*", "list+" and more, "." none); neither given: always. Not with `never` as the first of them.
struct VerbLooks {
  std::string_view verbs, letters, with = {}, forms = {}, never = {};
};

// What the program does to the files among its words.
enum class Files { read, written, into_last, moved, deleted, changed };

struct Does {
  std::string_view verbs;  // any of these is its verb; empty: whatever comes
  Effects does;
  std::string_view says;  // of the command: "needs the network"
};

// Tests that a list of words cannot express; destructive.cpp has them.
enum class DangerWhen { never, takes_commits_off, cleans, checks_out_path, prunes_by_map, rewrites_pushed };

// What makes a command destructive: any of the letters, options or words ("x*" a pattern), or what `when`
// finds; none of them given: always. Not with any of the words in `unless`.
struct Danger {
  std::string_view verbs, letters, options, words, unless;  // verbs: git's
  DangerWhen when = DangerWhen::never;
  std::string_view what;
};

// Options that give an interpreter its code, or after which it runs none.
struct Code {
  std::string_view letters, options;
};

// Words with which a program that otherwise looks writes what it looked at.
struct WritesBy {
  std::string_view options, letters;
};

namespace role {
inline constexpr unsigned runs_anything = 1U << 0;  // what it is given: never granted by a prefix
inline constexpr unsigned runs_words = 1U << 1;     // its words are a command: "timeout 5 ls"
inline constexpr unsigned runs_text = 1U << 2;      // a word of it is a script: "sh -c 'ls'"
inline constexpr unsigned is_shell = 1U << 3;
inline constexpr unsigned fetches = 1U << 4;  // from another machine
inline constexpr unsigned decodes = 1U << 5;
inline constexpr unsigned web_client = 1U << 6;      // goes where its address says
inline constexpr unsigned no_grant = 1U << 7;        // destroys what it is given
inline constexpr unsigned needs_verb = 1U << 8;      // the name alone covers too much to be granted
inline constexpr unsigned disk = 1U << 9;            // works on devices
inline constexpr unsigned formats = 1U << 10;        // writes its files unless told to check
inline constexpr unsigned runs_scripts = 1U << 11;   // of package.json
inline constexpr unsigned shows_nothing = 1U << 12;  // of the files it is given
inline constexpr unsigned through_folders = 1U << 13;
inline constexpr unsigned only_exact = 1U << 14;  // a rule covers it word for word alone
}  // namespace role

struct Program {
  std::string_view names;
  Files files = Files::read;
  std::optional<Looks> looks = {};
  std::initializer_list<Does> does = {};       // the first that holds speaks
  std::initializer_list<Danger> dangers = {};  // the first that holds speaks
  std::string_view ways_out = {};   // words with which it runs another program, loads code or writes unseen
  std::string_view verbs_out = {};  // verbs that do; "bisect+run" two words
  std::string_view fine = {};       // as ways_out, but fine; "-X=GET" an option with its value
  std::string_view modules = {};    // options whose value may be a path to code, without their dashes
  WritesBy writes_by = {};
  std::optional<std::string_view> grants = {};  // verbs that may be granted; "*" any, empty: the name alone
  std::string_view alone = {}, valued = {};  // words with which it only looks, "x*"; with a value behind them
  std::string_view valued_paths = {};        // the same, the value a file that it reads
  std::initializer_list<VerbLooks> verbs_look = {};
  bool strict = false;             // whether an option is one behind "--" or as a value is not worth guessing
  std::string_view version = {};   // any of these words alone: says its version
  std::string_view settings = {};  // names that it may be given a plain value for; columns
  std::optional<Code> code = {};
  unsigned roles = 0;
  std::string_view free = {},
                   asks = {};  // a command that ask mode runs in a sandbox, and one that it asks about
};

std::span<const Program> programs();

// The row of this name; without a folder. Null: none.
const Program* program_of(std::string_view name);

bool has_role(std::string_view name, unsigned role);

}  // namespace tern
