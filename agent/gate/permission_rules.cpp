#include <algorithm>
#include <cstdlib>

#include "agent/command_kinds.h"
#include "agent/permission.h"
#include "agent/permission_match.h"
#include "tools/args.h"
#include "tools/tool.h"

namespace tern {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

bool ends_with(std::string_view s, std::string_view end) {
  return s.size() >= end.size() && s.substr(s.size() - end.size()) == end;
}

// "*" within a component, "**" across, "?" one character.
bool glob_matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.substr(0, 3) == "**/")
    return glob_matches(pattern.substr(3), text) ||
           (text.find('/') != text.npos && glob_matches(pattern, text.substr(text.find('/') + 1)));
  if (pattern == "**") return true;
  if (pattern.front() == '*') {
    for (std::size_t take = 0; take <= text.size(); ++take) {
      if (glob_matches(pattern.substr(1), text.substr(take))) return true;
      if (take < text.size() && text[take] == '/') return false;
    }
    return false;
  }
  return !text.empty() && (pattern.front() == text.front() || (pattern.front() == '?' && text.front() != '/')) &&
         glob_matches(pattern.substr(1), text.substr(1));
}

// The same for command lines, where "*" is anything. Whoever writes the line must not be able to make this slow.
bool line_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = pattern.npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*')
      star = p++, from = t;
    else if (p < pattern.size() && pattern[p] == text[t])
      ++p, ++t;
    else if (star != pattern.npos)
      p = star + 1, t = ++from;
    else
      return false;
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

bool is_prefix(std::string_view spec) { return ends_with(spec, ":*") || ends_with(spec, " *"); }

Words words_of(std::string_view spec) {
  Words words;
  for (const ShellCommand& command : parse_shell(spec).commands)
    for (const ShellWord& word : command.words) words.push_back(word.text);
  return words;
}

std::string refuse_allow(const PermissionRule& rule) {
  if (rule.tool != "Bash") return {};
  if (rule.spec.empty()) return "it would allow every command; use the mode for that";
  if (is_prefix(rule.spec)) return why_no_prefix(words_of(std::string_view(rule.spec).substr(0, rule.spec.size() - 2)));
  if (rule.spec.find('*') != std::string::npos) return "'*' may stand only at the end: Bash(npm run test:*)";
  return {};
}

// A rule for a tool that does not exist would hold nothing back, in silence.
std::string unknown_tool(const std::string& name) {
  std::vector<std::string> names;
  for (const Tool* tool : all_tools()) names.emplace_back(tool->name);
  const auto near = nearest(name, names);
  std::string text = "there is no tool \"" + name + "\"";
  if (near) return text + "; did you mean " + *near + "?";
  for (std::size_t n = 0; n < names.size(); ++n) text += (n ? ", " : "; the tools are ") + names[n];
  return text;
}

}  // namespace

bool parse_rule(std::string_view text, PermissionRule::Kind kind, std::string source, PermissionRule& rule, std::string& error) {
  text = trimmed(text);
  rule = {};
  rule.kind = kind;
  rule.source = std::move(source);
  const std::size_t open = text.find('(');
  rule.tool = std::string(trimmed(text.substr(0, open)));
  const bool closed = open == text.npos || (text.back() == ')' && open > 0);
  if (rule.tool.empty() || !closed) {
    error = "'" + std::string(text) + "' is not a rule: write Tool or Tool(spec), as in Bash(npm run test:*) or Edit(src/**)";
    return false;
  }
  const Tool* tool = find_tool(rule.tool);
  if (tool) rule.tool = std::string(tool->name);
  if (!tool && rule.tool != "*") {
    error = "'" + std::string(text) + "' holds for nothing: " + unknown_tool(rule.tool);
    return false;
  }
  if (open != text.npos) rule.spec = std::string(trimmed(text.substr(open + 1, text.size() - open - 2)));
  if (rule.spec == "*" || rule.spec == ":*") rule.spec.clear();
  if (kind != PermissionRule::Kind::allow) return true;
  const std::string why = refuse_allow(rule);
  if (!why.empty()) error = "'" + std::string(text) + "' is not taken: " + why;
  return why.empty();
}

std::string rule_text(const PermissionRule& rule) { return rule.tool + (rule.spec.empty() ? "" : "(" + rule.spec + ")"); }

std::string grant_text(const std::vector<PermissionRule>& grants) {
  std::vector<std::string> told;
  for (const PermissionRule& rule : grants) {
    std::string_view spec = rule.spec;
    std::string text;
    if (rule.tool == "Bash" && is_prefix(spec)) {
      const bool more = !told.empty() && told.back().find("begin") != std::string::npos;
      text =
          std::string(more ? "with" : "any command that begins with") + " `" + std::string(spec.substr(0, spec.size() - 2)) + "`";
    } else if (rule.tool == "Bash") {
      text = "the command `" + rule.spec + "`";
    } else {
      const bool below = ends_with(spec, "/**");
      if (below) spec.remove_suffix(3);
      text = std::string(rule.tool == "Read" ? "reading" : "changes of") + (below          ? " files in "
                                                                            : spec == "**" ? " any file here"
                                                                                           : " ");
      if (spec != "**") text += std::string(spec) + (below ? " and below" : "");
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
    const Words prefix = words_of(std::string_view(rule.spec).substr(0, rule.spec.size() - 2));
    return !prefix.empty() && prefix.size() <= words.size() && std::equal(prefix.begin(), prefix.end(), words.begin());
  }
  return words == words_of(rule.spec);
}

bool rule_hits_words(const PermissionRule& rule, Words words) {
  if (rule.spec.empty()) return true;
  if (words.empty()) return false;
  for (int round = 0; round < 2; ++round) {
    std::string line;
    for (const std::string& word : words) line.append(line.empty() ? "" : " ").append(word);
    if (rule_covers_words(rule, words) || (rule.spec.find('*') != std::string::npos && line_matches(rule.spec, line)))
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
    if (!is_under(workspace.root(), path)) return wanted.rfind("**/", 0) == 0 && glob_matches(wanted, name.substr(1));
    name = path.lexically_relative(workspace.root()).string();
    if (wanted.find('/') == std::string::npos && wanted != "**")
      wanted = "**/" + wanted;  // a bare name: anywhere, as in .gitignore
  }
  if (glob_matches(wanted, name)) return true;
  return glob_matches(wanted + "/**", name);  // a directory's name covers what is in it
}

bool rule_is_for(const PermissionRule& rule, std::string_view tool, Effect effect) {
  if (rule.tool == "*" || rule.tool == tool) return true;
  if (rule.tool == "Edit" || rule.tool == "Write") return effect == Effect::write;
  return rule.tool == "Read" && effect == Effect::read;
}

}  // namespace tern
