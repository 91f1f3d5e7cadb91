#include "agent/web/html_markdown.h"

#include <gumbo.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "compression/text/plain_text.h"

namespace tern {

namespace {

constexpr int deepest = 400;  // pages nested deeper are made to overrun the stack
constexpr std::size_t most_text = 16'000'000,
                      longest_prefix = 64;  // and pages of quotes in quotes to fill the memory

struct OutputFree {
  void operator()(GumboOutput* output) const { gumbo_destroy_output(&kGumboDefaultOptions, output); }
};

bool is_one_of(GumboTag tag, std::initializer_list<GumboTag> list) {
  return std::find(list.begin(), list.end(), tag) != list.end();
}

bool is_unread(GumboTag tag) {
  return is_one_of(tag, {GUMBO_TAG_SCRIPT, GUMBO_TAG_STYLE, GUMBO_TAG_NOSCRIPT, GUMBO_TAG_TEMPLATE,
                         GUMBO_TAG_SVG, GUMBO_TAG_HEAD, GUMBO_TAG_NAV, GUMBO_TAG_IFRAME, GUMBO_TAG_BUTTON,
                         GUMBO_TAG_SELECT, GUMBO_TAG_TEXTAREA});
}

bool is_block(GumboTag tag) {
  return is_one_of(tag, {GUMBO_TAG_P, GUMBO_TAG_DIV, GUMBO_TAG_SECTION, GUMBO_TAG_ARTICLE, GUMBO_TAG_MAIN,
                         GUMBO_TAG_HEADER, GUMBO_TAG_FOOTER, GUMBO_TAG_ASIDE, GUMBO_TAG_UL, GUMBO_TAG_OL,
                         GUMBO_TAG_DL, GUMBO_TAG_DT, GUMBO_TAG_DD, GUMBO_TAG_TABLE, GUMBO_TAG_FIGURE,
                         GUMBO_TAG_FORM, GUMBO_TAG_DETAILS, GUMBO_TAG_SUMMARY});
}

const char* attribute(const GumboElement& element, const char* name) {
  const GumboAttribute* found = gumbo_get_attribute(&element.attributes, name);
  return found == nullptr ? "" : found->value;
}

class Writer {
 public:
  explicit Writer(std::string_view base) : base_(base) {}

  void node(const GumboNode& node, int depth) {
    if (depth > deepest || out_.size() > most_text) return;
    if (node.type == GUMBO_NODE_TEXT || node.type == GUMBO_NODE_WHITESPACE || node.type == GUMBO_NODE_CDATA)
      return text(node.v.text.text);
    if (node.type == GUMBO_NODE_ELEMENT && !is_unread(node.v.element.tag)) element(node.v.element, depth);
  }

  std::string take() {
    while (!out_.empty() && (out_.back() == '\n' || out_.back() == ' ')) out_.pop_back();
    return std::move(out_) + "\n";
  }

 private:
  void children(const GumboElement& element, int depth) {
    for (unsigned i = 0; i < element.children.length; ++i)
      node(*static_cast<const GumboNode*>(element.children.data[i]), depth + 1);
  }

  void element(const GumboElement& e, int depth) {
    const GumboTag tag = e.tag;
    if (tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6) return heading(e, depth);
    if (tag == GUMBO_TAG_BR) return newline();
    if (tag == GUMBO_TAG_HR) return blank_line(), raw("---"), blank_line();
    if (tag == GUMBO_TAG_PRE) return code_block(e, depth);
    if (tag == GUMBO_TAG_CODE && !pre_) return around("`", e, depth);
    if (is_one_of(tag, {GUMBO_TAG_STRONG, GUMBO_TAG_B})) return around("**", e, depth);
    if (is_one_of(tag, {GUMBO_TAG_EM, GUMBO_TAG_I})) return around("*", e, depth);
    if (tag == GUMBO_TAG_A) return link(e, depth);
    if (tag == GUMBO_TAG_IMG) return image(e);
    if (tag == GUMBO_TAG_LI) return list_item(e, depth);
    if (tag == GUMBO_TAG_BLOCKQUOTE) return indented("> ", e, depth);
    if (tag == GUMBO_TAG_TR) return row(e, depth);
    const bool block = is_block(tag);
    const bool list = is_one_of(tag, {GUMBO_TAG_UL, GUMBO_TAG_OL});
    if (block && !(list && !lists_.empty())) blank_line();
    if (list) lists_.push_back(tag == GUMBO_TAG_OL ? 1 : 0);
    children(e, depth);
    if (list) lists_.pop_back();
    if (block && lists_.empty()) blank_line();
  }

  void heading(const GumboElement& e, int depth) {
    blank_line();
    raw(std::string(static_cast<std::size_t>(e.tag - GUMBO_TAG_H1) + 1, '#') + " ");
    children(e, depth);
    blank_line();
  }

  void code_block(const GumboElement& e, int depth) {
    blank_line();
    raw("```");
    out_ += '\n' + prefix_;
    pre_ = true;
    children(e, depth);
    pre_ = false;
    newline();
    raw("```");
    blank_line();
  }

  void around(const char* mark, const GumboElement& e, int depth) {
    const auto before = out_.size();
    children(e, depth);
    if (out_.size() == before) return;
    const auto first = out_.find_first_not_of(" \n", before);
    if (first != out_.npos) out_.insert(first, mark), out_ += mark;
  }

  void link(const GumboElement& e, int depth) {
    const std::string target = join_url(base_, attribute(e, "href"));
    const auto before = out_.size();
    children(e, depth);
    const auto first = std::min(out_.find_first_not_of(" \n", before), out_.size());
    const std::string shown = out_.substr(first);
    if (target.empty() || shown.empty() || shown.find('\n') != shown.npos) return;
    out_.resize(first);
    out_ += "[" + shown + "](" + target + ")";
  }

  void image(const GumboElement& e) {
    const std::string_view alt = trimmed(attribute(e, "alt"));
    if (!alt.empty()) raw("![" + std::string(alt) + "]");
  }

  void list_item(const GumboElement& e, int depth) {
    newline();
    std::string mark = "- ";
    if (!lists_.empty() && lists_.back() > 0) mark = std::to_string(lists_.back()++) + ". ";
    raw(mark);
    const std::string outer = prefix_;
    deepen(std::string(mark.size(), ' '));
    children(e, depth);
    prefix_ = outer;
    newline();
  }

  void indented(const char* mark, const GumboElement& e, int depth) {
    blank_line();
    const std::string outer = prefix_;
    deepen(mark);
    out_ += mark;
    children(e, depth);
    prefix_ = outer;
    blank_line();
  }

  void deepen(const std::string& more) {
    if (prefix_.size() < longest_prefix) prefix_ += more;
  }

  void row(const GumboElement& e, int depth) {
    newline();
    raw("|");
    std::size_t cells = 0;
    bool head = false;
    for (unsigned i = 0; i < e.children.length; ++i) {
      const auto& cell = *static_cast<const GumboNode*>(e.children.data[i]);
      if (cell.type != GUMBO_NODE_ELEMENT) continue;
      Writer inside(base_);
      inside.children(cell.v.element, depth + 1);
      std::string text = inside.take();
      std::replace(text.begin(), text.end(), '\n', ' ');
      raw(" " + std::string(trimmed(text)) + " |");
      head = head || cell.v.element.tag == GUMBO_TAG_TH;
      ++cells;
    }
    newline();
    if (!head) return;
    raw("|");
    for (std::size_t n = 0; n < cells; ++n) raw(" --- |");
    newline();
  }

  // Blanks run together, as on the page.
  void text(std::string_view text) {
    if (pre_) {
      for (const char c : text.substr(0, most_text)) {
        if (out_.size() > most_text) return;
        out_ += c;
        if (c == '\n') out_ += prefix_;
      }
      return;
    }
    for (const char c : text) {
      const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
      if (!blank)
        out_ += c;
      else if (!at_line_start() && out_.back() != ' ')
        out_ += ' ';
    }
  }

  void raw(std::string_view text) { out_ += text; }
  bool at_line_start() const { return out_.empty() || out_.back() == '\n' || out_.ends_with("\n" + prefix_); }

  void newline() {
    if (at_line_start()) return;
    while (out_.ends_with(' ')) out_.pop_back();
    out_ += '\n' + prefix_;
  }

  void blank_line() {
    newline();
    const std::string empty = "\n" + prefix_;
    if (!out_.empty() && out_ != prefix_ && !out_.ends_with(empty + empty)) out_ += empty;
  }

  std::string_view base_;
  std::string out_, prefix_;  // the prefix stands at the beginning of every line: "> ", "  "
  std::vector<int> lists_;    // open ones: the next number, 0 for one of points
  bool pre_ = false;
};

const GumboNode* child_of(const GumboNode& parent, GumboTag tag) {
  if (parent.type != GUMBO_NODE_ELEMENT) return nullptr;
  for (unsigned i = 0; i < parent.v.element.children.length; ++i) {
    const auto* child = static_cast<const GumboNode*>(parent.v.element.children.data[i]);
    if (child->type == GUMBO_NODE_ELEMENT && child->v.element.tag == tag) return child;
  }
  return nullptr;
}

std::string title_of(const GumboNode& root) {
  const GumboNode* head = child_of(root, GUMBO_TAG_HEAD);
  const GumboNode* title = head == nullptr ? nullptr : child_of(*head, GUMBO_TAG_TITLE);
  if (title == nullptr || title->v.element.children.length == 0) return {};
  const auto* text = static_cast<const GumboNode*>(title->v.element.children.data[0]);
  return text->type == GUMBO_NODE_TEXT ? std::string(trimmed(text->v.text.text)) : std::string();
}

}  // namespace

WebPage html_markdown(std::string_view html, std::string_view base) {
  GumboOptions options = kGumboDefaultOptions;
  options.max_errors = 0;
  const std::unique_ptr<GumboOutput, OutputFree> parsed(
      gumbo_parse_with_options(&options, html.data(), html.size()));
  if (!parsed) return {};
  Writer writer(base);
  writer.node(*parsed->root, 0);
  return {title_of(*parsed->root), writer.take()};
}

std::string join_url(std::string_view base, std::string_view link) {
  link = trimmed(link);
  link = link.substr(0, link.find('#'));
  if (link.empty()) return {};
  const auto colon = link.find(':');
  if (colon != link.npos && colon < link.find_first_of("/?")) {
    const std::string scheme = lowered(link.substr(0, colon));
    return scheme == "http" || scheme == "https" ? std::string(link) : std::string();
  }
  const auto mark = base.find("://");
  if (mark == base.npos) return {};
  if (link.starts_with("//")) return std::string(base.substr(0, mark + 1)) + std::string(link);
  const auto path = std::min(base.find_first_of("/?#", mark + 3), base.size());
  const std::string_view host = base.substr(0, path);
  if (link.front() == '/') return std::string(host) + std::string(link);
  std::string_view folder = base.substr(path);
  folder = folder.substr(0, folder.find_first_of("?#"));
  if (link.front() == '?')
    return std::string(host) + (folder.empty() ? "/" : std::string(folder)) + std::string(link);
  const auto slash = folder.rfind('/');
  return std::string(host) + (slash == folder.npos ? "/" : std::string(folder.substr(0, slash + 1))) +
         std::string(link);
}

}  // namespace tern
