// File types by the names ripgrep users know.
#include <algorithm>

#include "tools/search/search.h"

namespace tern {

namespace {

struct Type {
  std::string_view name, patterns;  // separated by one space
};

constexpr Type types[] = {
    {"asm", "*.asm *.s *.S"},
    {"astro", "*.astro"},
    {"bazel", "*.bazel *.bzl BUILD WORKSPACE"},
    {"c", "*.c *.h *.cats"},
    {"clojure", "*.clj *.cljc *.cljs *.cljx"},
    {"cmake", "*.cmake CMakeLists.txt"},
    {"config", "*.cfg *.conf *.config *.ini"},
    {"cpp", "*.C *.cc *.cpp *.cxx *.c++ *.h *.H *.hh *.hpp *.hxx *.h++ *.inl *.ipp *.tpp *.inc"},
    {"cs", "*.cs"},
    {"csharp", "*.cs"},
    {"css", "*.css *.scss"},
    {"csv", "*.csv"},
    {"cuda", "*.cu *.cuh"},
    {"dart", "*.dart"},
    {"docker", "*Dockerfile*"},
    {"elixir", "*.ex *.eex *.exs *.heex"},
    {"elm", "*.elm"},
    {"erlang", "*.erl *.hrl"},
    {"fortran", "*.f *.F *.f77 *.f90 *.F90 *.f95 *.for"},
    {"go", "*.go"},
    {"gradle", "*.gradle *.gradle.kts"},
    {"graphql", "*.graphql *.graphqls"},
    {"groovy", "*.groovy *.gradle"},
    {"h", "*.h *.hh *.hpp"},
    {"haskell", "*.hs *.lhs *.cabal"},
    {"html", "*.htm *.html *.ejs"},
    {"java", "*.java *.jsp *.jspx"},
    {"js", "*.js *.jsx *.mjs *.cjs *.vue"},
    {"json", "*.json *.jsonl *.sarif"},
    {"jsonl", "*.jsonl"},
    {"julia", "*.jl"},
    {"kotlin", "*.kt *.kts"},
    {"less", "*.less"},
    {"lisp", "*.el *.lisp *.lsp *.sc *.scm"},
    {"log", "*.log"},
    {"lua", "*.lua"},
    {"make", "[Mm]akefile *.mk *.mak GNUmakefile"},
    {"markdown", "*.md *.markdown *.mdx *.mkd"},
    {"matlab", "*.m"},
    {"md", "*.md *.markdown *.mdx *.mkd"},
    {"meson", "meson.build meson_options.txt"},
    {"ml", "*.ml *.mli"},
    {"nim", "*.nim *.nims"},
    {"nix", "*.nix"},
    {"objc", "*.h *.m"},
    {"ocaml", "*.ml *.mli *.mll *.mly"},
    {"perl", "*.pl *.pm *.PL *.t"},
    {"php", "*.php *.php3 *.php4 *.php5 *.phtml"},
    {"proto", "*.proto"},
    {"protobuf", "*.proto"},
    {"ps", "*.ps1 *.psm1 *.psd1"},
    {"py", "*.py *.pyi"},
    {"python", "*.py *.pyi"},
    {"r", "*.R *.r *.Rmd *.Rnw"},
    {"rb", "*.rb *.ru *.gemspec Gemfile Rakefile"},
    {"rst", "*.rst"},
    {"ruby", "*.rb *.ru *.gemspec Gemfile Rakefile"},
    {"rust", "*.rs"},
    {"sass", "*.sass *.scss"},
    {"scala", "*.scala *.sbt"},
    {"sh", "*.sh *.bash *.zsh *.ksh *.fish .bashrc .profile .zshrc"},
    {"sql", "*.sql *.psql"},
    {"svelte", "*.svelte"},
    {"swift", "*.swift"},
    {"tex", "*.tex *.ltx *.cls *.sty *.bib"},
    {"tf", "*.tf *.tfvars"},
    {"toml", "*.toml Cargo.lock"},
    {"ts", "*.ts *.tsx *.mts *.cts"},
    {"tsx", "*.tsx"},
    {"txt", "*.txt"},
    {"typescript", "*.ts *.tsx *.mts *.cts"},
    {"vim", "*.vim .vimrc"},
    {"vue", "*.vue"},
    {"xml", "*.xml *.xsl *.xslt *.xsd *.svg *.plist"},
    {"yaml", "*.yaml *.yml"},
    {"zig", "*.zig"},
};

}  // namespace

std::vector<std::string> type_patterns(std::string_view type) {
  std::vector<std::string> patterns;
  for (const auto& one : types) {
    if (one.name != type) continue;
    for (std::string_view rest = one.patterns; !rest.empty();) {
      std::size_t end = std::min(rest.find(' '), rest.size());
      patterns.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return patterns;
}

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const auto& one : types) names.emplace_back(one.name);
  return names;
}

}  // namespace tern
