#include "app/config/options.h"

#include <algorithm>
#include <cstdlib>

#include "app/config/option_table.h"
#include "tools/set/args.h"

namespace tern {
namespace {

std::string no_number(const std::string& value) { return "\"" + value + "\" is not a number"; }

template <class T>
std::string take_count(T& into, const std::string& value, long long least = 1) {
  char* end = nullptr;
  const long long number = std::strtoll(value.c_str(), &end, 10);
  if (value.empty() || *end || number < least)
    return no_number(value) + " of at least " + std::to_string(least);
  into = static_cast<T>(number);
  return {};
}

std::string take_dollars(double& into, const std::string& value) {
  char* end = nullptr;
  const std::string digits = !value.empty() && value[0] == '$' ? value.substr(1) : value;
  const double number = std::strtod(digits.c_str(), &end);
  if (digits.empty() || *end || !(number > 0)) return no_number(value) + " above 0";
  into = number;
  return {};
}

// Rules hold commas and blanks inside their brackets: "Bash(git log, x),Read Edit".
void take_rules(std::vector<std::string>& into, const std::string& value) {
  std::string rule;
  int depth = 0;
  for (char c : value + ",") {
    depth += c == '(' ? 1 : c == ')' && depth > 0 ? -1 : 0;
    if (depth > 0 || (c != ',' && c != ' ')) {
      rule += c;
      continue;
    }
    if (!rule.empty()) into.push_back(std::move(rule));
    rule.clear();
  }
  if (!rule.empty()) into.push_back(rule.substr(0, rule.size() - 1));
}

std::string take_setting(Options& o, const std::string& value) {
  const std::size_t at = value.find('=');
  if (at == 0 || at == std::string::npos) return "it needs key=value, as in compression.microAt=0.5";
  o.config.emplace_back(value.substr(0, at), value.substr(at + 1));
  return {};
}

#define TERN_TEXT(field) [](Options& o, const std::string& v) { return o.field = v, std::string(); }
#define TERN_SWITCH(field) [](Options& o, const std::string&) { return o.field = true, std::string(); }

std::string run_as(Options& o, Options::Run run) {
  o.run = run;
  return {};
}

const std::vector<Flag>& flags() {
  static const std::vector<Flag> table = {
      {"--print", 'p', "", "answer once and exit; the prompt is the argument or standard input", "",
       [](Options& o, const std::string&) { return run_as(o, Options::Run::print); }},
      {"--continue", 'c', "", "continue the newest session in this folder", "",
       [](Options& o, const std::string&) { return o.open = Options::Open::newest, std::string(); }},
      {"--resume", 'r', "[ID]", "continue a session, by id, name or words from it", "",
       [](Options& o, const std::string& v) {
         return o.open = Options::Open::resume, o.resume = v, std::string();
       }},
      {"--fork", 0, "", "with --continue or --resume: continue in a copy", "", TERN_SWITCH(fork)},
      {"--name", 0, "NAME", "name of the session", "", TERN_TEXT(name)},
      {"--no-session", 0, "", "keep nothing on disk", "", TERN_SWITCH(no_session)},
      {"--model", 'm', "NAME", "provider/model, or an alias", "", TERN_TEXT(model)},
      {"--small-model", 0, "NAME", "the model that writes summaries", "", TERN_TEXT(small_model)},
      {"--window", 0, "TOKENS", "context window in tokens, instead of the model's own", "",
       [](Options& o, const std::string& v) { return take_count(o.window, v, 1'000); }},
      {"--thinking", 0, "TOKENS", "budget for thinking; 0 turns it off", "",
       [](Options& o, const std::string& v) { return take_count(o.thinking, v, 0); }},
      {"--permission-mode", 0, "MODE", "what may run without asking", "ask accept-edits plan auto bypass",
       TERN_TEXT(permission_mode)},
      {"--allowed-tools", 0, "RULES", "allow without asking: \"Read,Bash(git status)\"", "",
       [](Options& o, const std::string& v) { return take_rules(o.allowed_tools, v), std::string(); }},
      {"--disallowed-tools", 0, "RULES", "never allow", "",
       [](Options& o, const std::string& v) { return take_rules(o.disallowed_tools, v), std::string(); }},
      {"--dangerously-skip-permissions", 0, "", "the same as --permission-mode bypass", "",
       [](Options& o, const std::string&) { return o.permission_mode = "bypass", std::string(); }},
      {"--add-dir", 0, "FOLDER", "another folder the tools may work in", "",
       [](Options& o, const std::string& v) { return o.add_dirs.push_back(v), std::string(); }},
      {"--mcp-config", 0, "FILE", "MCP servers from a file or JSON text, in the format of .mcp.json", "",
       [](Options& o, const std::string& v) { return o.mcp_configs.push_back(v), std::string(); }},
      {"--plugin-dir", 0, "FOLDER", "use a Claude plugin's skills, commands, hooks and MCP servers", "",
       [](Options& o, const std::string& v) { return o.plugin_dirs.push_back(v), std::string(); }},
      {"--strict-mcp-config", 0, "", "only the MCP servers of --mcp-config", "", TERN_SWITCH(strict_mcp)},
      {"--cwd", 'C', "FOLDER", "work in this folder", "", TERN_TEXT(cwd)},
      {"--append-system-prompt", 0, "TEXT", "more instructions for the model", "", TERN_TEXT(append_prompt)},
      {"--output-format", 0, "FORMAT", "with -p", "text json stream-json", TERN_TEXT(output_format)},
      {"--input-format", 0, "FORMAT", "with -p", "text stream-json", TERN_TEXT(input_format)},
      {"--include-partial-messages", 0, "", "with stream-json: text as it arrives", "",
       TERN_SWITCH(partial_messages)},
      {"--max-turns", 0, "N", "with -p: at most this many requests, then exit with 5", "",
       [](Options& o, const std::string& v) { return take_count(o.max_turns, v); }},
      {"--max-cost", 0, "DOLLARS", "with -p: stop once this is spent, then exit with 5", "",
       [](Options& o, const std::string& v) { return take_dollars(o.max_cost, v); }},
      {"--json-schema", 0, "SCHEMA", "the final answer must match; JSON text or a file", "",
       TERN_TEXT(json_schema)},
      {"--demo", 0, "", "play the built-in demo: a scripted model in a small window", "", TERN_SWITCH(demo)},
      {"--inline", 0, "", "leave finished messages to the terminal's own scrollback", "",
       TERN_SWITCH(inline_screen)},
      {"--plain", 0, "", "no colours, no frames", "", TERN_SWITCH(plain)},
      {"--record", 0, "FILE", "write every request and answer of the model to a file", "", TERN_TEXT(record)},
      {"--replay", 0, "FILE", "answer from a recording, without a model", "", TERN_TEXT(replay)},
      {"--state-dir", 0, "FOLDER", "keep history in this folder, not in .compression/", "",
       TERN_TEXT(state_dir)},
      {"--config", 0, "KEY=VALUE", "set one value, as often as needed", "", take_setting},
      {"--trace", 0, "FILE", "write every event to this file, one per line", "", TERN_TEXT(trace)},
      {"--json", 0, "", "for subcommands: machine-readable", "", TERN_SWITCH(json)},
      {"--verbose", 0, "", "with -p: report tools and waits even if standard error is a file", "",
       TERN_SWITCH(verbose)},
      {"--version", 'V', "", "print the version", "",
       [](Options& o, const std::string&) { return run_as(o, Options::Run::version); }},
      {"--help", 'h', "", "print this help", "",
       [](Options& o, const std::string&) { return run_as(o, Options::Run::help); }},
  };
  return table;
}

struct Parser {
  const std::vector<std::string>& words;
  Options options;
  std::size_t at = 0;
  std::vector<std::string> rest;
  bool only_words = false;

  const Flag* find(const std::string& name) const {
    for (const Flag& flag : flags()) {
      if (flag.name == name || (name.size() == 2 && name[0] == '-' && flag.letter && name[1] == flag.letter))
        return &flag;
    }
    return nullptr;
  }

  void fail(const std::string& text) {
    if (options.error.empty()) options.error = text;
  }

  void unknown(const std::string& name) {
    if (options.run == Options::Run::subcommand) return rest.push_back(words[at]);
    std::vector<std::string> known;
    for (const Flag& flag : flags()) known.emplace_back(flag.name);
    const std::string near = nearest_word(name, known);
    fail("unknown option " + name +
         (near.empty() ? "; tern --help lists them" : "; did you mean " + near + "?"));
  }

  // "--flag=value", "--flag value", "-f value"
  void flag(std::string name) {
    std::string value;
    const std::size_t equals = name.starts_with("--") ? name.find('=') : std::string::npos;
    const bool attached = equals != std::string::npos;
    if (attached) value = name.substr(equals + 1), name.resize(equals);
    const Flag* found = find(name);
    if (!found) return unknown(name);
    const bool optional = found->value.starts_with('[');
    if (!found->value.empty() && !attached) {
      const bool there = at + 1 < words.size() && (!optional || !words[at + 1].starts_with('-'));
      if (!there && !optional) return fail(name + " needs " + std::string(found->value));
      if (there) value = words[++at];
    }
    if (found->value.empty() && attached) return fail(name + " takes no value");
    if (!found->choices.empty() && !is_choice(found->choices, value)) {
      return fail("invalid " + name + " \"" + value + "\" (choose " + one_of(found->choices) + ")");
    }
    const std::string wrong = found->take(options, value);
    if (!wrong.empty()) fail(name + ": " + wrong);
  }

  // "a, b or c"
  static std::string one_of(std::string_view choices) {
    std::string text(choices);
    if (const auto last = text.rfind(' '); last != text.npos) text.replace(last, 1, " or ");
    for (auto at = text.find(' '); at != text.npos && text.compare(at, 4, " or ") != 0;
         at = text.find(' ', at + 2))
      text.replace(at, 1, ", ");
    return text;
  }

  static bool is_choice(std::string_view choices, std::string value) {
    std::string folded;  // acceptEdits = accept-edits = accept_edits
    for (char c : value) {
      if (c >= 'A' && c <= 'Z') folded += '-';
      folded += c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    for (const char* same : {"default", "automatic", "bypass-permissions"}) {
      if (choices.starts_with("ask ") && folded == same) return true;
    }
    return (" " + std::string(choices) + " ").find(" " + folded + " ") != std::string::npos;
  }

  void word(const std::string& text) {
    const auto& table = all_subcommands();
    const bool first = rest.empty() && options.run == Options::Run::chat;
    const bool known =
        std::any_of(table.begin(), table.end(), [&](const SubcommandRow& row) { return row.name == text; });
    if (first && known && !only_words) {
      options.run = Options::Run::subcommand, options.subcommand = text;
      return;
    }
    rest.push_back(text);
  }

  void parse() {
    for (; at < words.size(); ++at) {
      const std::string& text = words[at];
      const bool others =
          options.subcommand == "sandbox" || options.subcommand == "mcp";  // options of what is run there
      const bool of_report =
          options.subcommand == "report" && (text == "-o" || text == "--output" || text == "--session");
      if ((others && !rest.empty()) || of_report)
        rest.push_back(text);
      else if (!only_words && text == "--")
        only_words = true;
      else if (!only_words && text.size() > 1 && text[0] == '-')
        flag(text);
      else
        word(text);
    }
  }
};

}  // namespace

const std::vector<Flag>& all_flags() { return flags(); }

Options parse_options(const std::vector<std::string>& words) {
  if (!words.empty() && words[0] == "--supervise") {
    Options options;
    options.run = Options::Run::supervise;
    return options;
  }
  Parser parser{.words = words, .options = {}, .at = 0, .rest = {}, .only_words = false};
  parser.parse();
  Options options = std::move(parser.options);
  if (options.run == Options::Run::subcommand) {
    options.arguments = std::move(parser.rest);
  } else {
    for (const std::string& word : parser.rest) options.prompt += (options.prompt.empty() ? "" : " ") + word;
    options.prompt_given = !parser.rest.empty();
    const auto meant = parser.only_words || options.run != Options::Run::chat || parser.rest.size() != 1
                           ? std::string_view()
                           : misspelled_subcommand(parser.rest[0]);
    if (!meant.empty() && options.error.empty())
      options.error = "there is no command \"" + parser.rest[0] + "\"; did you mean \"tern " +
                      std::string(meant) + "\"? As a prompt: tern -- " + parser.rest[0];
  }
  options.bypass = options.permission_mode.starts_with("bypass");
  if (options.fork && options.open == Options::Open::fresh && options.error.empty())
    options.error = "--fork needs --continue or --resume";
  return options;
}

std::string_view misspelled_subcommand(std::string_view word) {
  if (word.size() < 4 || word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") != word.npos) return {};
  for (const SubcommandRow& row : all_subcommands()) {
    const std::size_t distance = edit_distance(word, row.name);
    const bool begins =
        word.size() >= 5 && row.name.size() >= 5 && word.substr(0, 5) == row.name.substr(0, 5);
    if (distance <= (word.size() >= 7 ? 2 : 1) || (begins && distance <= 4)) return row.name;
  }
  return {};
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = word.size() / 3 + 2;
  for (const std::string& one : known) {
    const std::size_t distance = edit_distance(word, one);
    if (distance < least) least = distance, best = one;
  }
  return best;
}

}  // namespace tern
