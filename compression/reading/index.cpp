#include "compression/reading/index.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "compression/reading/importance.h"
#include "compression/text/lines.h"
#include "compression/text/names.h"
#include "compression/text/rules.h"
#include "compression/values/blocks.h"
#include "compression/values/call_values.h"
#include "compression/values/tokens.h"
#include "compression/values/tool_kinds.h"

namespace tern {

namespace {

constexpr std::size_t longest_command = 120, longest_error = 160, longest_rule = 300;
constexpr std::size_t errors_per_result = 2;

bool is_number_unit(std::string_view unit) {
  static constexpr std::array<std::string_view, 22> units = {
      "%", "B",  "GB",  "GiB", "Hz", "KB", "KiB", "MB",     "MHz", "MiB", "TB",
      "h", "kB", "min", "ms",  "ns", "px", "s",   "tokens", "us",  "x",   "µs"};
  return std::binary_search(units.begin(), units.end(), unit);
}

// "512 MB", "30%", "1.5s": numbers that mean a quantity.
template <class F>
void each_quantity(std::string_view line, F&& found) {
  for (std::size_t i = 0; i < line.size();) {
    if (!is_digit(line[i]) ||
        (i > 0 && (is_name_char(line[i - 1]) || line[i - 1] == '.' || line[i - 1] == '-'))) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < line.size() && (is_digit(line[end]) || line[end] == '.' || line[end] == ',')) ++end;
    std::size_t unit = end + (end < line.size() && line[end] == ' ');
    std::size_t stop = unit;
    while (stop < line.size() && stop - unit < 7 &&
           (line[stop] == '%' || (is_name_char(line[stop]) && !is_digit(line[stop]))))
      ++stop;
    if (stop > unit && is_number_unit(line.substr(unit, stop - unit))) found(line.substr(i, stop - i));
    i = std::max(end, i + 1);
  }
}

// A name of a path is its last two parts; here the whole of it, as it is spelled in the line.
std::string_view whole_path(std::string_view line, std::string_view name, Escapes escapes) {
  const auto end = static_cast<std::size_t>(name.data() - line.data()) + name.size();
  auto begin = end - name.size();
  const auto in_part = [](char c) {
    return is_name_char(c) || c == '.' || c == '-' || c == '+' || c == '@' || c == '~';
  };
  while (begin > 0 && (line[begin - 1] == '/' || line[begin] == '/')) {
    if (line[begin - 1] != '/' && !in_part(line[begin - 1])) break;
    const auto before = begin;
    --begin;
    while (line[begin] != '/' && begin > 0 && in_part(line[begin - 1])) --begin;
    if (escapes == Escapes::json && begin > 0 && line[begin - 1] == '\\' && line[begin] != '/')
      ++begin;                   // "\nsrc/a.c"
    if (begin == before) break;  // "\n/src/a.c"
  }
  return line.substr(begin, end - begin);
}

// What a tool was asked about: a file, not a pattern.
bool is_path(std::string_view subject) {
  return subject.find_first_of("/.") != subject.npos && subject.find_first_of(" *?[") == subject.npos;
}

// "$i.cpp" in "module_$i.cpp": what a shell puts there is not known.
bool is_variable(std::string_view line, std::string_view name) {
  const auto begin = static_cast<std::size_t>(name.data() - line.data());
  return begin > 0 && line[begin - 1] == '$';
}

// "4. Errors and fixes: none" speaks of errors and names none.
bool is_heading(std::string_view line) {
  line = trimmed(line);
  return line.ends_with(':') || line.ends_with(": none") || line.ends_with(": none.");
}

// A sentence that speaks of failing: long, ended, and it names no place and no value.
bool is_prose(std::string_view line) {
  constexpr std::ptrdiff_t most_of_a_message = 6;  // blanks
  line = trimmed(line);
  if (!line.ends_with('.') || line.find_first_of(":/\\\"'`=<>[](){}0123456789") != line.npos) return false;
  return std::count(line.begin(), line.end(), ' ') > most_of_a_message;
}

std::uint64_t key_of_fact(FactKind kind, std::string_view text) {
  return hash_text(text) + static_cast<std::uint64_t>(kind) * 0x9E3779B97F4A7C15ull;
}

class Collector {
 public:
  explicit Collector(const Conversation& conversation, bool all) : conversation_(conversation), all_(all) {}

  std::vector<Fact> run() {
    for (const auto& item : conversation_.items) {
      if (item->role != Role::system) take(*item);
      position_ += item->tokens;
    }
    merge_files();
    rank();
    return std::move(facts_);
  }

 private:
  void take(const Item& item) {
    for (const auto& block : item.blocks) {
      ++block_;
      if (const auto* text = std::get_if<Text>(&block))
        said(item, text->text);
      else if (const auto* call = std::get_if<ToolCall>(&block))
        called(item, *call);
      else if (const auto* result = std::get_if<ToolResult>(&block))
        answered(item, *result);
      else if (const auto* summary = std::get_if<Summary>(&block))
        names_in(summary->text, Escapes::plain, item.recall, false);
    }
  }

  void said(const Item& item, std::string_view text) {
    if (is_human(item)) {
      for (const auto rule : rules_in(text))
        add(FactKind::rule, clipped(rule, longest_rule), item.recall, true);
    }
    names_in(text, Escapes::plain, item.recall, true);
  }

  void called(const Item& item, const ToolCall& call) {
    names_in(without_keys(call.arguments), Escapes::json, item.recall, true);
  }

  void answered(const Item& item, const ToolResult& result) {
    const auto recall = result.recall ? result.recall : item.recall;
    if (runs_commands(result.tool))
      add(FactKind::command,
          clipped(std::string_view(result.subject).substr(0, result.subject.find('\n')), longest_command),
          recall, true);
    else if (!searches_files(result.tool) && is_path(result.subject))
      add(FactKind::file, result.subject, recall, true);
    errors_ = 0;
    quoted_ = !result.is_error && (reads_files(result.tool) || searches_files(result.tool));
    names_in(result.text, Escapes::plain, recall, false);
    quoted_ = false;
  }

  void names_in(std::string_view text, Escapes escapes, RecallId recall, bool written) {
    each_line_of(text, [&](std::string_view line) {
      names_.clear();
      const bool error = scan_names(line, escapes, names_);
      if (error && !written && !quoted_ && !is_heading(line) && !is_prose(line) &&
          errors_++ < errors_per_result)
        add(FactKind::error, clipped(trimmed(line), longest_error), recall, false);
      for (const auto& name : names_) {
        if (name.kind == NameKind::place)
          add(FactKind::place, name.text, recall, written);
        else if (name.kind == NameKind::url)
          add(FactKind::url, name.text, recall, written);
        else if (!written && !all_)
          continue;
        else if (name.kind == NameKind::ident && written)
          add(FactKind::ident, name.text, recall, true);
        else if (is_variable(line, name.text) || name.text == "0x")
          continue;
        else if (name.kind == NameKind::path)
          add(FactKind::file, whole_path(line, name.text, escapes), recall, written);
        else if (name.kind == NameKind::file)
          add(FactKind::file, name.text, recall, written);
        else if (name.kind == NameKind::number)
          add(FactKind::number, name.text, recall, written);
      }
      if (written || error)
        each_quantity(line, [&](std::string_view quantity) {
          if (quantity != "0x")
            add(FactKind::number, quantity, recall, written);  // the head of a number in hex
        });
    });
  }

  void add(FactKind kind, std::string_view text, RecallId recall, bool written) {
    if (text.empty()) return;
    const auto [at, fresh] = index_.try_emplace(key_of_fact(kind, text), facts_.size());
    if (fresh) {
      facts_.push_back({kind, std::string(text), recall, 0, false, 0});
      last_.push_back({position_, 0});
    }
    auto& fact = facts_[at->second];
    auto& last = last_[at->second];
    if (last.second != block_) ++fact.uses;
    last = {position_, block_};
    if (recall) fact.recall = recall;
    fact.written = fact.written || written;
  }

  // One file, one fact: its bare name, "/home/me/p/src/a.cpp" and "…/src/a.cpp" join "src/a.cpp".
  void merge_files() {
    std::unordered_map<std::string_view, std::size_t> paths, by_name;
    for (std::size_t i = 0; i < facts_.size(); ++i)
      if (facts_[i].kind == FactKind::file && facts_[i].text.find('/') != std::string::npos)
        paths.emplace(facts_[i].text, i);
    std::vector<std::size_t> into(facts_.size());
    for (std::size_t i = 0; i < facts_.size(); ++i) into[i] = i;
    for (const auto& [path, i] : paths) {
      if (!path.starts_with('/') && !path.starts_with("…")) continue;
      for (auto slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
        const auto found = paths.find(path.substr(slash + 1));
        if (found == paths.end()) continue;
        into[i] = found->second;
        break;
      }
    }
    for (const auto& [path, i] : paths)
      if (into[i] == i) {
        const auto [at, fresh] = by_name.try_emplace(path.substr(path.rfind('/') + 1), i);
        if (!fresh) at->second = std::min(at->second, i);
      }
    for (std::size_t i = 0; i < facts_.size(); ++i)
      if (facts_[i].kind == FactKind::file && facts_[i].text.find('/') == std::string::npos)
        if (const auto found = by_name.find(facts_[i].text); found != by_name.end()) into[i] = found->second;
    join(into);
  }

  void join(const std::vector<std::size_t>& into) {
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      if (into[i] == i) continue;
      auto& fact = facts_[into[i]];
      fact.uses += facts_[i].uses;
      fact.written = fact.written || facts_[i].written;
      fact.recall = std::max(fact.recall, facts_[i].recall);
      last_[into[i]] = std::max(last_[into[i]], last_[i]);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      if (into[i] != i) continue;
      if (kept != i) facts_[kept] = std::move(facts_[i]), last_[kept] = last_[i];
      ++kept;
    }
    facts_.resize(kept);
    last_.resize(kept);
  }

  // What was written counts most, then what came up often, then what came up lately. Rules and what changed
  // the system never age.
  void rank() {
    const auto total = static_cast<double>(std::max<Tokens>(1, position_));
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      auto& fact = facts_[i];
      const bool lasts =
          fact.kind == FactKind::rule || (fact.kind == FactKind::command && changes_system(fact.text));
      const double age = lasts ? 0 : 1 - static_cast<double>(last_[i].first) / total;
      fact.need = (fact.written ? 4 : 1) * (1 + 0.2 * std::min(fact.uses, 10)) / (1 + 4 * age);
    }
    std::stable_sort(facts_.begin(), facts_.end(), [](const Fact& a, const Fact& b) {
      return a.kind != b.kind ? a.kind < b.kind : a.need > b.need;
    });
  }

  const Conversation& conversation_;
  const bool all_;
  std::vector<Fact> facts_;
  std::vector<std::pair<Tokens, std::size_t>> last_;  // where a fact came up last: tokens before, block
  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::vector<Name> names_;
  Tokens position_ = 0;
  std::size_t block_ = 0, errors_ = 0;
  bool quoted_ = false;  // the text is of a file: its errors are not this session's
};

struct Section {
  FactKind kind;
  std::string_view title, between;
  double share;  // of the budget, what earlier sections left comes on top
};
constexpr std::array<Section, 8> sections{{
    {FactKind::rule, "Demands of the user", "\n- ", 0.25},
    {FactKind::file, "Files", ", ", 0.2},
    {FactKind::command, "Commands", "\n- ", 0.15},
    {FactKind::error, "Errors seen", "\n- ", 0.15},
    {FactKind::ident, "Identifiers in use", ", ", 0.1},
    {FactKind::place, "Places", ", ", 0.05},
    {FactKind::number, "Numbers", ", ", 0.05},
    {FactKind::url, "URLs", "\n- ", 0.05},
}};

std::string shown(const Fact& fact) {
  return fact.recall ? fact.text + " " + to_string(fact.recall) : fact.text;
}

}  // namespace

std::string_view to_string(FactKind kind) {
  for (const auto& section : sections) {
    if (section.kind == kind) return section.title;
  }
  return {};
}

std::vector<Fact> facts_of(const Conversation& conversation, Specifics which) {
  return Collector(conversation, which == Specifics::all).run();
}

std::string index_of(const Conversation& conversation, Tokens budget) {
  const auto facts = facts_of(conversation);
  std::string out;
  double left = static_cast<double>(budget), carried = 0;
  for (const auto& section : sections) {
    double room = std::min(left, section.share * static_cast<double>(budget) + carried);
    const double before = room;
    std::string part;
    for (const auto& fact : facts) {
      if (fact.kind != section.kind) continue;
      const auto text = shown(fact);
      const auto cost = static_cast<double>(estimate(text) + 1) +
                        (part.empty() ? static_cast<double>(estimate(section.title)) + 3 : 0);
      if (cost > room) continue;
      room -= cost;
      part += (part.empty() ? (section.between == ", " ? "" : "\n- ") : std::string(section.between)) + text;
    }
    if (!part.empty())
      out += (out.empty() ? "" : "\n") + std::string(section.title) + ":" +
             (part.front() == '\n' ? "" : " ") + part;
    left -= before - room;
    carried = room;
  }
  return out;
}

}  // namespace tern
