#include "compression/text/file_outline.h"

#include <catch2/catch_test_macros.hpp>

#include "compression/reading/snip.h"
#include "compression/text/lines.h"
#include "compression/text/utf8.h"

using namespace tern;

namespace {

constexpr std::size_t plenty = 100'000;

// Without its header; the text goes on with blank lines, so that there is room for all of it.
std::string outline(const std::string& text, std::string_view language, std::size_t limit = plenty) {
  const std::string whole = text + std::string(4 * text.size() + 1'000, '\n');
  const auto out = file_outline(whole, 0, whole.size(), language, limit);
  return out.substr(std::min(out.find('\n') + 1, out.size()));
}

}  // namespace

TEST_CASE("outline: functions and types of C++, also members, not what is called in them") {
  CHECK(outline(R"(#include <a>
namespace tern {

class Cut : public Base {
 public:
  explicit Cut(std::string_view text) : text_(text) {}
  ~Cut();
  std::string assemble(RecallId recall) {
    if (form_.halves) return in_halves(recall);
    Gap hidden(head_, tail_);
    return told(hidden);
  }

 private:
  static bool waits(const Edits& edits, int more) const;
  int head_ = 0;
  std::function<void()> before_;
};

struct Later;
using Keys = std::map<std::string, double>;
using namespace other;

Cut::Cut(int a, int b)
    : a_(a), b_(b) {
  each(a, [&] {
    call(b);
  });
}

TEST_CASE("it works") {
  CHECK(works());
}
}  // namespace tern
)",
                "C++") ==
        "2: namespace tern {\n"
        "4: class Cut : public Base {\n"
        "6:   explicit Cut(std::string_view text) : text_(text) {}\n"
        "8:   std::string assemble(RecallId recall) {\n"
        "15:   static bool waits(const Edits& edits, int more) const;\n"
        "21: using Keys = std::map<std::string, double>;\n"
        "24: Cut::Cut(int a, int b)\n"
        "31: TEST_CASE(\"it works\") {\n");
}

TEST_CASE("outline: private and nested definitions of Python, Go, Rust, TypeScript and Java") {
  CHECK(outline("import os\n\nclass A(Base):\n    async def _run(self):\n        x = call(1)\n\n# def "
                "not_this():\ndef main():\n",
                "Python") == "3: class A(Base):\n4:     async def _run(self):\n8: def main():\n");
  CHECK(outline("package a\n\ntype state struct {\n\tn int\n}\n\nfunc (s *state) next(a int) error "
                "{\n\treturn call(a)\n}\n",
                "Go") == "3: type state struct {\n7: func (s *state) next(a int) error {\n");
  CHECK(outline("impl Foo {\n    pub(crate) async fn a(&self) {\n        b();\n    }\n}\nmacro_rules! x {\n",
                "Rust") == "1: impl Foo {\n2:     pub(crate) async fn a(&self) {\n6: macro_rules! x {\n");
  CHECK(
      outline(
          "export class A {\n  private b(c: string): number {\n    if (c) {\n      call(c);\n    }\n  }\n}\n"
          "const limit = 3;\nexport const View = ({ a }) => {\n  const onClick = async () => {\n    const x "
          "= a.map((b) => b);\n"
          "    const type = kind(a);\n"
          "  };\n};\ndescribe('view', () => {\n  it('draws', () => {\n",
          "TypeScript") ==
      "1: export class A {\n2:   private b(c: string): number {\n8: const limit = 3;\n9: export const View = "
      "({ a }) => {\n"
      "10:   const onClick = async () => {\n15: describe('view', () => {\n16:   it('draws', () => {\n");
  CHECK(outline("public class A {\n    @Override\n    protected List<B> all(int n) throws X {\n        "
                "foo(n);\n        B b = "
                "new B(n);\n"
                "    }\n    private A(int n) {\n        return;\n    }\n}\n",
                "Java") ==
        "1: public class A {\n3:     protected List<B> all(int n) throws X {\n7:     private A(int n) {\n");
}

TEST_CASE("outline: headings of Markdown, not what a fence holds") {
  CHECK(outline("# One\ntext\n```sh\n# no heading\n```\n## Two\n#hashtag\n", "Markdown") ==
        "1: # One\n6: ## Two\n");
}

TEST_CASE("outline: the upper keys of JSON, YAML and TOML") {
  CHECK(outline("{\n  \"name\": \"a\",\n  \"scripts\": {\n    \"a\": {\n      \"b\": {\n        \"c\": 1\n   "
                "   }\n    }\n  }\n}\n",
                "JSON") ==
        "2:   \"name\": \"a\",\n3:   \"scripts\": {\n4:     \"a\": {\n5:       \"b\": {\n");
  CHECK(outline("on: push\njobs:\n  build:\n    steps:\n      - uses: x\n# no: key\n", "YAML") ==
        "1: on: push\n2: jobs:\n3:   build:\n4:     steps:\n");
  CHECK(outline("name = \"a\"\n[tool.x]\nline = 3\n[[bin]]\n", "TOML") ==
        "1: name = \"a\"\n2: [tool.x]\n3: line = 3\n4: [[bin]]\n");
}

TEST_CASE("outline: the numbers are those of the file, however the reader prints them") {
  CHECK(outline("200\tdef a():\n201\t    pass\n202\tdef b():\n", "Python") ==
        "200\tdef a():\n202\tdef b():\n");
  CHECK(outline("   200→def a():\n   201→    pass\n", "Python") == "200→def a():\n");
}

TEST_CASE("outline: only what lies between the two places, told in the state that the text before leaves") {
  const std::string text = "# One\n```\n" + std::string(400, 'x') + "\n# no heading\n```\n# Two\n" +
                           std::string(400, 'x') + "\n# Three\n";
  const auto from = text.find("# no"), to = text.find("# Three");
  CHECK(file_outline(text, from, to, "Markdown", plenty) ==
        "[outline of these lines, 1 entries; read what you need of them by line number]\n6: # Two\n");
  CHECK(file_outline(text, from, to, "", plenty).empty());
}

TEST_CASE("outline: what does not fit is thinned evenly, the outer levels last, within the limit") {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += "class C" + std::to_string(i) + ":\n";
    for (int j = 0; j < 5; ++j) text += "    def 函数" + std::to_string(j) + "(self):\n        pass\n";
  }
  const auto all = outline(text, "Python");
  for (const std::size_t limit : {500, 2'000, 10'000, 20'000}) {
    const auto out = file_outline(text, 0, text.size(), "Python", limit);
    INFO(limit << "\n" << out);
    CHECK(count_characters(out) <= limit);
    CHECK(count_characters(out) >= limit / 2);
    std::size_t classes = 0, methods = 0, last = 0;
    each_line_of(out.substr(out.find('\n') + 1), [&](std::string_view line) {
      if (line.empty()) return;
      CHECK(all.find(line) != all.npos);
      classes += line.find("class") != line.npos;
      methods += line.find("def") != line.npos;
      const auto number = static_cast<std::size_t>(std::stoul(std::string(line)));
      CHECK(number > last);
      if (classes > 1) CHECK(number - last < 4'400 / (classes + methods) * 40);
      last = number;
    });
    CHECK((classes == 400 || methods == 0));
    CHECK(last > 4'000);
  }
}

TEST_CASE("outline: broken or endless text does no harm") {
  const std::string languages[] = {"C++",  "TypeScript", "Markdown", "JSON",
                                   "YAML", "TOML",       "Shell",    "nothing"};
  for (const std::string unit :
       {"\xFF", "字", "x", "(", "\"", "\"\\", "#", "[", "-", "{\n", "\t", "1\t", "f(a) {\n", "a: 1\n"}) {
    std::string text;
    while (text.size() < 50'000) text += unit;
    for (const auto& language : languages) {
      const auto out = file_outline(text, text.size() / 3, text.size() / 2, language, 6'000);
      CHECK(count_characters(out) <= 6'000);
      CHECK(out.size() <= text.size() / 6);
    }
  }
}
