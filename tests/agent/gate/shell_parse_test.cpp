#include "agent/gate/shell_parse.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

using namespace tern;

namespace {

// One line per command: its words by "|", then redirections; "~" before a word that is not literal.
std::string show(const ShellScript& script) {
  std::string text;
  for (const ShellCommand& command : script.commands) {
    if (!text.empty()) text += "\n";
    for (const std::string& assignment : command.assignments) text += assignment + " ";
    for (std::size_t i = 0; i < command.words.size(); ++i)
      text += (i == 0 ? "" : "|") + std::string(command.words[i].literal ? "" : "~") + command.words[i].text;
    for (const ShellRedirect& r : command.redirects)
      text += " " + (r.fd < 0 ? "" : std::to_string(r.fd)) + r.op + r.target.text +
              (r.body.empty() ? "" : "[" + r.body + "]");
  }
  return text + (script.error.empty() ? "" : "\nerror: " + script.error);
}

std::string words(std::string_view line) { return show(parse_shell(line)); }

bool notes(std::string_view line, const char* what) {
  const ShellScript script = parse_shell(line);
  return std::find(script.unplain.begin(), script.unplain.end(), what) != script.unplain.end();
}

}  // namespace

TEST_CASE("words after quote removal") {
  CHECK(words("git status") == "git|status");
  CHECK(words("git 'a b' \"c d\" e\\ f g\"h\"'i'") == "git|a b|c d|e f|ghi");
  CHECK(words("echo ''") == "echo|");
  CHECK(words("echo \"a\\\"b\\$c\\d\"") == "echo|a\"b$c\\d");
  CHECK(words("l\\s -l\\\n a") == "ls|-l|a");
  CHECK(words("echo a#b # comment\nls") == "echo|a#b\nls");
  CHECK(words("  ") == "");
  CHECK(parse_shell("find . \\( -name '*.h' \\)").plain());
  CHECK(parse_shell("git show HEAD@{1} stash@{0} {}").plain());
  CHECK(parse_shell("[ -f a ]").plain());
}

TEST_CASE("operators split, and each piece is its own command") {
  CHECK(words("a && b || c; d | e |& f\ng") == "a\nb\nc\nd\ne\nf\ng");
  CHECK(words("a&&b;c|d") == "a\nb\nc\nd");
  CHECK(parse_shell("a && b | c").commands[2].before == "|");
  CHECK(parse_shell("a & b").commands[0].background);
  CHECK(notes("a &", "background command"));
  CHECK_FALSE(notes("a &> f", "background command"));
}

TEST_CASE("redirections are not words") {
  CHECK(words("a > f 2>&1 < g >> h") == "a >f 2>&1 <g >>h");
  CHECK(words("> f a b") == "a|b >f");
  CHECK(words("a2>f") == "a2 >f");
  CHECK(words("a &>f") == "a &>f");
  CHECK(words("a >| f <> g <<< 'x y'") == "a >|f <>g <<<x y");
  CHECK(parse_shell("a 2>&1").commands[0].redirects[0].writes() == false);
  CHECK(parse_shell("a >&f").commands[0].redirects[0].writes());
  CHECK(parse_shell("a >").error.size() > 0);
}

TEST_CASE("here-documents carry their body") {
  CHECK(words("cat <<E\none\ntwo\nE\nls") == "cat <<E[one\ntwo\n]\nls");
  CHECK(words("cat <<-E\n\tone\n\tE\nls") == "cat <<-E[one\n]\nls");
  CHECK(parse_shell("cat <<'E'\n$(id)\nE").plain());
  CHECK(notes("cat <<E\n$(id)\nE", "command substitution"));
  CHECK(words("cat <<E\n$(id)\nE").find("id") != std::string::npos);
  CHECK(parse_shell("cat <<E\nx").error == "here-document without its end");
}

TEST_CASE("what expands is not literal, and what it runs is listed") {
  CHECK(words("echo $(rm x) `rm y` \"$(rm z)\"") == "rm|x\nrm|y\nrm|z\necho|~$(rm x)|~`rm y`|~\"$(rm z)\"");
  CHECK(words("a <(b) >(c)") == "b\nc\na|~<(b)|~>(c)");
  CHECK(words("echo ${x:-$(b)}") == "b\necho|~${x:-$(b)}");
  for (const char* line : {"$x", "\"$x\"", "a $HOME", "a${x}", "a *", "a ?", "a [b]c", "a {b,c}", "a {1..3}",
                           "a $'x'", "a $\"x\"", "~user", "a $((1))", "=a", "a $@", "a \\"})
    CHECK_FALSE(parse_shell(line).plain());
  CHECK(parse_shell("ls ~/x").plain());
  CHECK(parse_shell("ls ~/x").commands[0].words[1].tilde);
  CHECK_FALSE(parse_shell("ls '~/x'").commands[0].words[1].tilde);
  CHECK(parse_shell("echo a$ b").plain());
}

TEST_CASE("compound commands are noted, their commands listed") {
  CHECK(words("if a; then b; else c; fi") == "a\nb\nc");
  CHECK(words("for x in 1 2; do a; done; b") == "a\nb");
  CHECK(words("while a; do b; done > f") == "a\nb\n >f");
  CHECK(words("case x in a|b) c;; (d) e ;; esac; f") == "c\ne\nf");
  CHECK(words("f() { a; }; f") == "a\nf");
  CHECK(words("(a; b) > f; { c; }") == "a\nb\n >f\nc");
  CHECK(words("((x)); a") == "x\na");
  CHECK(words("for ((i = 0; i < 3; i++)); do a; done") == "a");
  CHECK(words("b $((i+1)) \"$((2 * (x - 1)))\"") == "b|~$((i+1))|~\"$((2 * (x - 1)))\"");
  CHECK(words("b $((c) )") == "c\nb|~$((c) )");  // two subshells
  CHECK(words("b $((c)(d))").find("c") != std::string::npos);
  CHECK(words("b $(($(c)))").find("c\n") != std::string::npos);
  CHECK(words("[[ a == b ]] && c") == "[[|a|==|b|]]\nc");
  CHECK(words("x=(a b) c").find("c") != std::string::npos);
  for (const char* line : {"if a; then b; fi", "for x in a; do b; done", "(a)", "{ a; }", "f() { a; }",
                           "((1))", "[[ a ]]", "case a in b) c;; esac", "x=(a) b", "coproc a"}) {
    INFO(line);
    CHECK_FALSE(parse_shell(line).plain());
  }
}

TEST_CASE("assignments stand before the command") {
  CHECK(words("A=1 B='x y' c d=e") == "A=1 B=x y c|d=e");
  CHECK_FALSE(parse_shell("A=$(id) b").commands.back().assignments_literal);
  CHECK_FALSE(parse_shell("A=~/x b").commands.back().assignments_literal);
}

TEST_CASE("what is broken, unseen or endless is said") {
  for (const char* line :
       {"a '", "a \"", "a `b", "a $(b", "a ${b", "(a", "a )", "a (", "case x in", "cat <<E", "[[ a"}) {
    INFO(line);
    CHECK_FALSE(parse_shell(line).error.empty());
  }
  CHECK(notes("ls\rid", "control character"));
  CHECK(notes("ls \xe2\x80\xae x", "invisible character"));
  CHECK(notes("git\xc2\xa0status", "invisible character"));
  CHECK_FALSE(parse_shell("ls\xe2\x80\x8bx").plain());
  CHECK(parse_shell("ls größe 文").plain());
  std::string many;
  for (int i = 0; i < 10000; ++i) many += "true;";
  CHECK(parse_shell(many).too_long);
  CHECK_FALSE(parse_shell(std::string(5000, '(')).error.empty());
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "$(";
  CHECK_FALSE(parse_shell("a " + deep).error.empty());
}

TEST_CASE("every cut of a hard line ends in an answer") {
  const std::string line =
      "a=$(b 'c' \"d $(e `f`)\") g <<H <(i) | case j in k) l;; esac && { m; } || ${n:-`o`} $((p)) $'q\\'' [[ "
      "r ]] 2>&1 &\nx\nH\n";
  for (std::size_t cut = 0; cut <= line.size(); ++cut) parse_shell(line.substr(0, cut));
  for (std::size_t cut = 0; cut <= line.size(); ++cut) parse_shell(line.substr(cut));
  SUCCEED();
}

TEST_CASE("wrappers are opened for denying") {
  const auto holds = [](const char* line, const std::vector<std::string>& wanted) {
    for (const ShellCommand& command : parse_shell(line).commands)
      for (const auto& found : unwrap(command))
        if (found == wanted) return true;
    return false;
  };
  const std::vector<std::string> rm{"rm", "-rf", "/"};
  for (const char* line :
       {"rm -rf /", "sudo rm -rf /", "sudo -u x rm -rf /", "env A=1 rm -rf /",
        "timeout -k 1 5 nice -n 3 rm -rf /", "xargs -n1 rm -rf /", "sh -c 'rm -rf /'",
        "bash -lc \"cd x; rm -rf /\"", "eval rm -rf /", "eval 'rm -rf /'", "trap 'rm -rf /' EXIT",
        "busybox rm -rf /", "find . -exec rm -rf / ;", "sudo env sh -c 'nohup rm -rf / &'"}) {
    INFO(line);
    CHECK(holds(line, line == std::string("find . -exec rm -rf / ;")
                          ? std::vector<std::string>{"rm", "-rf", "/"}
                          : rm));
  }
}
