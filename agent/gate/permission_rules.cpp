#include <algorithm>
#include <cstdlib>

#include "agent/gate/command_kinds.h"
#include "agent/gate/permission.h"
#include "compression/text/plain_text.h"
#include "tools/set/args.h"
#include "tools/set/tool.h"
#include "tools/workspace/ignore.h"

namespace tern {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// Next.js and others have folders by names in brackets: those are meant as well.
std::string without_classes(std::string_view pattern) {
  std::string plain;
  for (const char c : pattern) {
    if (c == '[') plain += '\\';
    plain += c;
  }
  return plain;
}

// As git reads a pattern of a path ("*", "?", "[a-c]", "**"), and with "{a,b}".
bool glob_matches(std::string_view pattern, std::string_view text) {
  const auto parts = expand_braces(pattern);
  return std::any_of(parts.begin(), parts.end(), [&](const std::string& one) {
    return wildmatch(one, text, true) ||
           (one.find('[') != one.npos && wildmatch(without_classes(one), text, true));
  });
}

bool is_prefix(std::string_view spec) { return spec.ends_with(":*") || spec.ends_with(" *"); }

Words words_in(std::string_view spec) {
  Words words;
  for (const ShellCommand& command : parse_shell(spec).commands)
    for (const ShellWord& word : command.words) words.push_back(word.text);
  return words;
}

std::string refuse_allow(const PermissionRule& rule) {
  if (rule.tool != "Bash") return {};
  if (rule.spec.empty()) return "would allow every command; use a permission mode for that";
  if (is_prefix(rule.spec))
    return why_no_prefix(words_in(std::string_view(rule.spec).substr(0, rule.spec.size() - 2)));
  if (rule.spec.find('*') != std::string::npos) return "'*' is allowed only at the end: Bash(npm run test:*)";
  return {};
}

// A rule for a tool that does not exist would hold nothing back, in silence.
std::string unknown_tool(const std::string& name, const ToolSet& tools) {
  const auto names = tools.names();
  const auto near = nearest(name, names);
  std::string text = "there is no tool \"" + name + "\"";
  if (near) return text + "; did you mean " + *near + "?";
  for (std::size_t n = 0; n < names.size(); ++n) text += (n ? ", " : "; the tools are ") + names[n];
  return text;
}

}  // namespace

std::string_view to_string(RuleOrigin origin) {
  constexpr std::string_view names[] = {"the configuration", "this session", "this project",
                                        "the command that runs"};
  return names[static_cast<std::size_t>(origin)];
}

bool parse_rule(const ToolSet& tools, std::string_view text, PermissionRule::Kind kind, std::string source,
                PermissionRule& rule, std::string& error) {
  text = trimmed(text);
  rule = {};
  rule.kind = kind;
  rule.source = std::move(source);
  const std::size_t open = text.find('(');
  rule.tool = std::string(trimmed(text.substr(0, open)));
  const bool closed = open == text.npos || (text.back() == ')' && open > 0);
  if (rule.tool.empty() || !closed) {
    error = "'" + std::string(text) +
            "' is not a rule: write Tool or Tool(spec), as in Bash(npm run test:*) or Edit(src/**)";
    return false;
  }
  const ToolPtr tool = tools.find(rule.tool);
  if (tool) rule.tool = tool->name;
  const bool of_server = rule.tool.starts_with("mcp__");  // it may be there tomorrow: the rule waits for it
  if (!tool && rule.tool != "*" && !of_server) {
    error = "'" + std::string(text) + "' matches nothing: " + unknown_tool(rule.tool, tools);
    return false;
  }
  if (open != text.npos) rule.spec = std::string(trimmed(text.substr(open + 1, text.size() - open - 2)));
  if (rule.spec == "*" || rule.spec == ":*") rule.spec.clear();
  if (kind != PermissionRule::Kind::allow) return true;
  const std::string why = refuse_allow(rule);
  if (!why.empty()) error = "'" + std::string(text) + "' is not accepted: " + why;
  return why.empty();
}

std::string rule_text(const PermissionRule& rule) {
  return rule.tool + (rule.spec.empty() ? "" : "(" + rule.spec + ")");
}

std::string grant_text(const std::vector<PermissionRule>& grants) {
  std::vector<std::string> told;
  for (const PermissionRule& rule : grants) {
    std::string_view spec = rule.spec;
    std::string text;
    if (rule.tool == "Bash" && is_prefix(spec)) {
      const bool more = !told.empty() && told.back().find("begin") != std::string::npos;
      text = std::string(more ? "with" : "any command that begins with") + " `" +
             std::string(spec.substr(0, spec.size() - 2)) + "`";
    } else if (rule.tool == "Bash") {
      text = "the command `" + rule.spec + "`";
    } else if (spec.starts_with("domain:")) {
      text = "fetching from " + std::string(spec.substr(spec.find(':') + 1));
    } else if (rule.tool != "Read" && rule.tool != "Edit" && rule.tool != "Write") {
      text = "every call of " + rule.tool;
    } else {
      const bool below = spec.ends_with("/**");
      if (below) spec.remove_suffix(3);
      text = rule.tool == "Read" ? "reading" : "edits";
      if (spec == "**")
        text += rule.tool == "Read" ? " any file here" : " anywhere here";
      else
        text += (rule.tool == "Read" ? " "
                 : below             ? " in "
                                     : " of ") +
                std::string(spec) + (below ? "/" : "");
    }
    if (std::find(told.begin(), told.end(), text) == told.end()) told.push_back(std::move(text));
  }
  std::string text;
  for (const std::string& one : told) text += (text.empty() ? "" : " or ") + one;
  return text;
}

std::string to_string(const PermissionRule& rule) {
  const char* kinds[] = {"allow", "ask", "deny"};
  return std::string(kinds[static_cast<int>(rule.kind)]) + " " + rule_text(rule) +
         (rule.source.empty() ? "" : " from " + rule.source);
}

bool rule_covers_words(const PermissionRule& rule, const Words& words) {
  if (rule.spec.empty()) return true;
  if (words.empty()) return false;
  if (is_prefix(rule.spec)) {
    const Words prefix = words_in(std::string_view(rule.spec).substr(0, rule.spec.size() - 2));
    return !prefix.empty() && prefix.size() <= words.size() &&
           std::equal(prefix.begin(), prefix.end(), words.begin());
  }
  return parse_shell(rule.spec).commands.size() == 1 && words == words_in(rule.spec);
}

bool rule_hits_words(const PermissionRule& rule, Words words) {
  if (rule.spec.empty()) return true;
  if (words.empty()) return false;
  for (int round = 0; round < 2; ++round) {
    const std::string line = joined(words);
    if (rule_covers_words(rule, words) ||
        (rule.spec.find('*') != std::string::npos && line_matches(rule.spec, line)))
      return true;
    words.front() = std::string(program_name(words.front()));
  }
  return false;
}

bool matches_path(std::string_view pattern, const Workspace& workspace, const fs::path& path) {
  if (pattern.empty()) return true;
  std::string wanted(pattern);
  if (wanted.rfind("./", 0) == 0) wanted.erase(0, 2);
  if (wanted.back() == '/') wanted += "**";
  std::string name = path.string();
  if (wanted.rfind("~/", 0) == 0) {
    const char* home = std::getenv("HOME");
    if (home == nullptr) return false;
    wanted = std::string(home) + wanted.substr(1);
  } else if (wanted.front() != '/') {
    if (!is_under(workspace.root(), path))
      return wanted.rfind("**/", 0) == 0 && glob_matches(wanted, name.substr(1));
    name = path.lexically_relative(workspace.root()).string();
    if (wanted.find('/') == std::string::npos && wanted != "**")
      wanted = "**/" + wanted;  // a bare name: anywhere, as in .gitignore
  }
  if (glob_matches(wanted, name)) return true;
  return glob_matches(wanted + "/**", name);  // a directory's name covers what is in it
}

// "mcp__server" and "mcp__server__*" speak for all tools of a server, "mcp__server__get*" for some of them.
bool server_rule_matches(std::string_view rule, std::string_view tool) {
  if (!rule.starts_with("mcp__")) return false;
  if (rule.ends_with('*')) return tool.starts_with(rule.substr(0, rule.size() - 1));
  return tool.starts_with(std::string(rule) + "__");
}

bool rule_is_for(const PermissionRule& rule, std::string_view tool, EffectSet effects) {
  if (rule.tool == "*" || rule.tool == tool || server_rule_matches(rule.tool, tool)) return true;
  if (rule.tool == "Edit" || rule.tool == "Write") return effects.has(Effect::write);
  return rule.tool == "Read" && effects.has(Effect::read) && !effects.has(Effect::network);
}

}  // namespace tern
