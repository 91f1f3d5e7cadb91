#include "agent/gate/shell_parse.h"

#include <algorithm>
#include <array>
#include <optional>

#include "agent/gate/call_words.h"
#include "agent/gate/shell_words.h"

namespace tern {

namespace {

struct PendingDocument {
  std::size_t command = static_cast<std::size_t>(-1), redirect = 0;
  std::string delimiter;
  bool strip_tabs = false, literal = false;
};

class Parser : public WordReader {
 public:
  using WordReader::WordReader;

  void run() {
    list('\0');
    if (!failed() && at_ < text_.size()) fail(std::string("unexpected '") + text_[at_] + "'");
    if (!failed() && !pending_.empty()) fail("here-document without its end");
  }

 private:
  void run_inner(const std::string& text) override { Parser(text, out_, depth_ + 1).run(); }

  // ---- lists, pipelines, commands

  void skip_blanks() {
    for (;;) {
      if (is_blank(peek()))
        ++at_;
      else if (peek() == '\\' && peek(1) == '\n')
        at_ += 2;
      else if (peek() == '#')
        while (!end() && peek() != '\n') ++at_;
      else
        return;
    }
  }

  // Everything up to `closer` (left in place) or the end.
  void list(char closer) {
    std::string before;
    while (!failed()) {
      skip_blanks();
      if (end() || (closer != '\0' && peek() == closer)) return;
      if (std::optional<std::string> op = list_operator()) {
        if (*op != "\n" || before.empty()) before = *op;  // a line may end behind "|" and "&&"
        if (*op == "&" && !out_.commands.empty()) out_.commands.back().background = true;
        continue;
      }
      if (peek() == ')') return;
      command(before);
      before.clear();
    }
  }

  std::optional<std::string> list_operator() {
    if (peek() == '\n') {
      ++at_;
      read_documents();
      return "\n";
    }
    for (const char* op : {";;&", ";;", ";&", "&&", "||", "|&", ";", "|"})
      if (take(op)) return op;
    if (peek() == '&' && peek(1) != '>') {
      ++at_;
      note("background command");
      return "&";
    }
    return std::nullopt;
  }

  void nested(char closer, const char* why) override {
    note(why);
    if (depth_ >= deepest_nesting) return fail("nested too deeply");
    ++depth_;
    list(closer);
    --depth_;
    if (failed()) return;
    if (peek() != closer) return fail(std::string("'") + closer + "' is missing");
    ++at_;
  }

  void command(const std::string& before) {
    if (take("((")) return void(arithmetic());
    if (take("(")) {
      nested(')', "subshell");
      return after_compound();
    }
    simple_command(before);
  }

  // Redirections may follow ")" or "}".
  void after_compound() {
    ShellCommand rest;
    rest.depth = depth_ + 1;
    for (skip_blanks(); !failed() && redirect(rest, nullptr); skip_blanks()) {}
    if (!rest.redirects.empty()) push(std::move(rest), at_);
  }

  // "((…))": arithmetic, or two subshells; what is inside is looked at as commands, too, so that nothing
  // hides there.
  bool arithmetic() {
    note("arithmetic");
    const std::size_t begin = at_;
    int open = 2;
    for (; !end() && open > 0; ++at_) open += peek() == '(' ? 1 : peek() == ')' ? -1 : 0;
    if (open > 0) return fail("'))' is missing"), true;
    ShellScript inside;
    if (depth_ < deepest_nesting) Parser(text_.substr(begin, at_ - begin - 2), inside, depth_ + 1).run();
    for (ShellCommand& command : inside.commands) out_.commands.push_back(std::move(command));
    out_.too_long = out_.too_long || out_.commands.size() > max_segments;
    return true;
  }

  void push(ShellCommand&& command, std::size_t begin) {
    command.source = std::string(text_.substr(begin, at_ - begin));
    while (!command.source.empty() && is_blank(command.source.back())) command.source.pop_back();
    for (PendingDocument& document : pending_)
      if (document.command == static_cast<std::size_t>(-1)) document.command = out_.commands.size();
    out_.commands.push_back(std::move(command));
    if (out_.commands.size() > max_segments) out_.too_long = true;
  }

  void simple_command(const std::string& before) {
    ShellCommand command;
    command.before = before;
    command.depth = depth_;
    std::size_t begin = at_;
    while (!failed()) {
      skip_blanks();
      if (redirect(command, nullptr)) continue;
      if (end() || (is_meta(peek()) && !is_substitution())) break;
      WordBuilder builder = word();
      if (failed()) return;
      if (redirect(command, &builder)) continue;
      if (peek() == '(' && array_or_function(command, builder)) continue;
      if (failed()) return;
      // Behind a redirection or an assignment, "time" and "then" are programs like any other.
      const bool begins = command.words.empty() && command.redirects.empty() && command.assignments.empty();
      if (begins && keyword(builder.word, command)) {
        if (command.words.empty()) begin = at_;
        if (ended_by_keyword_) break;
        continue;
      }
      add_word(command, builder);
    }
    ended_by_keyword_ = false;
    if (!failed() && !(command.words.empty() && command.assignments.empty() && command.redirects.empty()))
      push(std::move(command), begin);
  }

  void add_word(ShellCommand& command, const WordBuilder& builder) {
    const std::string_view source = text_.substr(builder.begin, at_ - builder.begin);
    const std::size_t prefix = assignment_prefix(source);
    if (command.words.empty() && prefix == 0 && source.find("\\\n") != source.npos &&
        source.find('=') != source.npos)
      note("line break in an assignment");
    if (!command.words.empty() || prefix == 0) return command.words.push_back(builder.word);
    command.assignments.push_back(builder.word.literal ? builder.word.text : std::string(source));
    const bool tilde = source.find("=~") != source.npos || source.find(":~") != source.npos;
    command.assignments_literal =
        command.assignments_literal && builder.word.literal && !tilde && source[prefix - 2] != ']';
  }

  // "a=(…)" or "f ()": the parenthesis after a word.
  bool array_or_function(ShellCommand& command, const WordBuilder& builder) {
    const std::string source(text_.substr(builder.begin, at_ - builder.begin));
    if (assignment_prefix(source) == source.size() && !source.empty()) {
      ++at_;
      nested(')', "array");
      command.assignments.push_back(source + "(…)");
      command.assignments_literal = false;
      return true;
    }
    ++at_;
    skip_blanks();
    if (!command.words.empty() || !take(")")) return fail("unexpected '('"), false;
    note("function");
    return true;
  }

  // Words that the grammar owns, at the place of a command. True when the word was one.
  bool keyword(const ShellWord& word, ShellCommand& command) {
    if (!word.literal || word.quoted) return false;
    const std::string& k = word.text;
    static constexpr std::array openers = {"if",   "then", "elif", "else", "fi", "while", "until", "do",
                                           "done", "esac", "{",    "}",    "!",  "time",  "coproc"};
    if (k == "case") return case_head();
    if (k == "for" || k == "select") return loop_head();
    if (k == "function") return function_head();
    if (k == "[[") return condition(command);
    if (std::find(openers.begin(), openers.end(), k) == openers.end()) return false;
    if (k == "time" && (command.before == "|" || command.before == "|&")) return false;
    if (k == "if")
      note("condition");
    else if (k == "while" || k == "until")
      note("loop");
    else if (k == "{")
      note("group");
    else if (k == "coproc")
      note("coprocess");
    return true;
  }

  std::string plain_word() {
    skip_blanks();
    if (end() || is_meta(peek())) return {};
    return word().word.text;
  }

  bool loop_head() {
    note("loop");
    skip_blanks();
    if (take("((")) return skip_arithmetic(";") || arithmetic();
    if (plain_word().empty()) fail("the loop has no name");
    for (skip_blanks(); !failed() && !end() && !is_meta(peek()); skip_blanks()) word();
    return true;
  }

  bool function_head() {
    note("function");
    if (plain_word().empty()) fail("the function has no name");
    skip_blanks();
    if (peek() == '(' && peek(1) == ')') at_ += 2;
    return true;
  }

  bool condition(ShellCommand& command) {
    note("[[ ]]");
    command.words.push_back({"[[", true, false, false});
    while (!failed()) {
      while (is_blank(peek()) || peek() == '\n') ++at_;
      if (end()) return fail("']]' is missing"), true;
      if (is_meta(peek()) && !is_substitution()) {
        ++at_;
        continue;
      }
      const ShellWord part = word().word;
      command.words.push_back(part);
      if (part.text == "]]" && !part.quoted) return true;
    }
    return true;
  }

  bool case_head() {
    note("case");
    plain_word();
    while (!end() && (is_blank(peek()) || peek() == '\n')) ++at_;
    if (plain_word() != "in") fail("'case' without 'in'");
    while (!failed()) {
      while (!end() && (is_blank(peek()) || peek() == '\n')) ++at_;
      if (end()) fail("'esac' is missing");
      if (text_.substr(at_, 4) == "esac" && (at_ + 4 >= text_.size() || is_meta(peek(4)))) {
        at_ += 4;
        ended_by_keyword_ = true;
        return true;
      }
      case_branch();
    }
    return true;
  }

  void case_branch() {
    take("(");
    for (skip_blanks(); !failed() && !end() && peek() != ')'; skip_blanks()) {
      if (peek() == '|')
        ++at_;
      else if (is_meta(peek()))
        return fail("a pattern of 'case' is not understood");
      else
        word();
    }
    if (!take(")")) return fail("a pattern of 'case' has no ')'");
    if (++depth_ > deepest_nesting) return fail("nested too deeply");
    std::string before;
    while (!failed() && !end()) {
      skip_blanks();
      if (take(";;&") || take(";;") || take(";&")) break;
      if (text_.substr(at_, 4) == "esac" && (at_ + 4 >= text_.size() || is_meta(peek(4)))) break;
      if (std::optional<std::string> op = list_operator()) {
        before = *op;
        continue;
      }
      if (end() || peek() == ')') break;
      command(before);
    }
    --depth_;
  }

  // ---- redirections

  // At an operator, or right behind a word that is its descriptor number.
  bool redirect(ShellCommand& command, const WordBuilder* number) {
    if (number != nullptr && (peek() == '<' || peek() == '>')) {
      const std::string source(text_.substr(number->begin, at_ - number->begin));
      if (source.size() > 2 && source.front() == '{' && source.back() == '}') note("descriptor variable");
      if (!all_digits(source)) return false;
    } else if (number != nullptr) {
      return false;
    }
    if (is_substitution()) return false;
    ShellRedirect r;
    for (const char* op : {"&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", ">>", ">&", ">|", "<", ">"})
      if (take(op)) {
        r.op = op;
        break;
      }
    if (r.op.empty()) return false;
    if (number != nullptr) r.fd = std::atoi(number->word.text.substr(0, 6).c_str());
    skip_blanks();
    // ">&-" ends there: what stands right behind it is the next word.
    if ((r.op == ">&" || r.op == "<&") && take("-")) {
      r.target.text = "-";
      command.redirects.push_back(std::move(r));
      return true;
    }
    if (end() || (is_meta(peek()) && !is_substitution())) return fail("'" + r.op + "' leads nowhere"), true;
    r.target = word().word;
    if ((r.op == ">&" || r.op == "<&") && !only_name(r.target))
      note("redirection that is expanded twice"), r.target.literal = false;
    if (r.op == "<<" || r.op == "<<-")
      pending_.push_back({static_cast<std::size_t>(-1), command.redirects.size(), r.target.text,
                          r.op == "<<-", r.target.quoted});
    command.redirects.push_back(std::move(r));
    return true;
  }

  void read_documents() {
    std::vector<PendingDocument> documents;
    documents.swap(pending_);
    for (const PendingDocument& document : documents) {
      std::string body;
      bool closed = false;
      while (!end() && !closed) {
        std::size_t stop = text_.find('\n', at_);
        if (stop == text_.npos) stop = text_.size();
        std::string_view line = text_.substr(at_, stop - at_);
        at_ = std::min(stop + 1, text_.size());
        while (document.strip_tabs && !line.empty() && line.front() == '\t') line.remove_prefix(1);
        closed = line == document.delimiter;
        if (!closed) body.append(line).push_back('\n');
      }
      if (!closed) return fail("here-document without its end");
      if (!document.literal) expand_document(body);
      if (document.command < out_.commands.size() &&
          document.redirect < out_.commands[document.command].redirects.size())
        out_.commands[document.command].redirects[document.redirect].body = body;
    }
  }

  // The body of an unquoted here-document is expanded like text in double quotes.
  void expand_document(const std::string& body) {
    if (body.find_first_of("$`\\") == body.npos) return;
    note("expansion in a here-document");
    Parser inner(body, out_, depth_ + 1);
    WordBuilder ignored;
    while (!inner.end() && !failed() && depth_ < deepest_nesting) inner.quoted_char(ignored);
  }

  std::vector<PendingDocument> pending_;
  bool ended_by_keyword_ = false;
};

}  // namespace

ShellScript parse_shell(std::string_view line) {
  ShellScript script;
  if (const char* why = unseen(line)) script.unplain.emplace_back(why);
  Parser(line, script, 0).run();
  return script;
}

}  // namespace tern
