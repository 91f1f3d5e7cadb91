#include "ui/text/markdown_html.h"

#include <string>
#include <vector>

#include "ui/text/links.h"
#include "ui/text/markdown_parser.h"
#include "ui/text/markdown_parts.h"

namespace tern {
namespace {

// Of blocks that have no attributes; empty: it is written by hand, or not at all.
std::string_view tag_of(MD_BLOCKTYPE type) {
  switch (type) {
    case MD_BLOCK_QUOTE: return "blockquote";
    case MD_BLOCK_UL: return "ul";
    case MD_BLOCK_OL: return "ol";
    case MD_BLOCK_LI: return "li";
    case MD_BLOCK_P: return "p";
    case MD_BLOCK_TR: return "tr";
    case MD_BLOCK_TH: return "th";
    case MD_BLOCK_TD: return "td";
    default: return {};
  }
}

std::string_view tag_of(MD_SPANTYPE type) {
  switch (type) {
    case MD_SPAN_EM: return "em";
    case MD_SPAN_STRONG: return "strong";
    case MD_SPAN_DEL: return "del";
    case MD_SPAN_CODE: return "code";
    default: return {};
  }
}

std::string in_brackets(std::string_view name, std::string_view rest = "") {
  return "<" + std::string(name) + std::string(rest) + ">";
}

// The page has two levels of headings of its own.
std::string heading_tag(const void* detail) {
  const unsigned level = static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level + 2;
  return "h" + std::to_string(level < 6 ? level : 6);
}

std::string attribute_text(const MD_ATTRIBUTE& attribute) {
  std::string text;
  for (int i = 0; attribute.text && attribute.substr_offsets[i] < attribute.size; ++i) {
    const std::string_view piece(attribute.text + attribute.substr_offsets[i],
                                 attribute.substr_offsets[i + 1] - attribute.substr_offsets[i]);
    if (attribute.substr_types[i] == MD_TEXT_ENTITY)
      text += entity_text(piece);
    else
      text += piece;
  }
  return text;
}

class HtmlWriter {
 public:
  explicit HtmlWriter(Escape escaped) : escaped_(escaped) {}

  std::string run(std::string_view markdown) {
    parse_markdown(markdown, *this);
    return std::move(html_);
  }

  int enter(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_HR: html_ += "<hr>\n"; break;
      case MD_BLOCK_H: html_ += in_brackets(heading_tag(detail)); break;
      case MD_BLOCK_CODE: html_ += "<pre><code>"; break;
      case MD_BLOCK_TABLE: html_ += "<div class=\"table\"><table>\n"; break;
      case MD_BLOCK_OL: begin_list(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start); break;
      case MD_BLOCK_LI: begin_item(*static_cast<MD_BLOCK_LI_DETAIL*>(detail)); break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD: begin_cell(type, static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align); break;
      default:
        if (const auto tag = tag_of(type); !tag.empty()) html_ += in_brackets(tag);
    }
    return 0;
  }

  int leave(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_H: html_ += in_brackets("/" + heading_tag(detail)) + "\n"; break;
      case MD_BLOCK_CODE: html_ += "</code></pre>\n"; break;
      case MD_BLOCK_TABLE: html_ += "</table></div>\n"; break;
      default:
        if (const auto tag = tag_of(type); !tag.empty()) html_ += in_brackets("/" + std::string(tag)) + "\n";
    }
    return 0;
  }

  int enter_span(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_A) begin_link(static_cast<MD_SPAN_A_DETAIL*>(detail)->href);
    if (type == MD_SPAN_IMG) begin_link(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src);
    if (const auto tag = tag_of(type); !tag.empty()) html_ += in_brackets(tag);
    return 0;
  }

  int leave_span(MD_SPANTYPE type, void*) {
    if (type == MD_SPAN_A || type == MD_SPAN_IMG) end_link();
    if (const auto tag = tag_of(type); !tag.empty()) html_ += in_brackets("/" + std::string(tag));
    return 0;
  }

  int text(MD_TEXTTYPE type, std::string_view text) {
    switch (type) {
      case MD_TEXT_BR: html_ += "<br>\n"; break;
      case MD_TEXT_SOFTBR: html_ += '\n'; break;
      case MD_TEXT_NULLCHAR: html_ += "\xEF\xBF\xBD"; break;
      case MD_TEXT_ENTITY: html_ += escaped_(entity_text(text)); break;
      default: html_ += escaped_(text);
    }
    return 0;
  }

 private:
  void begin_list(unsigned start) {
    html_ += start == 1 ? "<ol>" : in_brackets("ol", " start=\"" + std::to_string(start) + "\"");
  }

  void begin_item(const MD_BLOCK_LI_DETAIL& detail) {
    html_ += "<li>";
    if (detail.is_task) html_ += detail.task_mark == ' ' ? "☐ " : "☒ ";
  }

  void begin_cell(MD_BLOCKTYPE type, MD_ALIGN align) {
    std::string_view look;
    if (align == MD_ALIGN_RIGHT) look = " class=\"n\"";
    if (align == MD_ALIGN_CENTER) look = " class=\"c\"";
    html_ += in_brackets(tag_of(type), look);
  }

  // One inside another, a picture that leads somewhere, is only text.
  void begin_link(const MD_ATTRIBUTE& target) {
    links_.push_back(links_.empty() ? attribute_text(target) : "");
    begins_ = html_.size();
    if (is_web_address(links_.back()))
      html_ += in_brackets("a", " rel=\"noreferrer\" href=\"" + escaped_(links_.back()) + "\"");
  }

  void end_link() {
    const std::string target = std::move(links_.back());
    links_.pop_back();
    if (is_web_address(target))
      html_ += "</a>";
    else if (!target.empty() && html_.compare(begins_, html_.npos, escaped_(target)) != 0)
      html_ += " (" + escaped_(target) + ")";
  }

  Escape escaped_;
  std::string html_;
  std::vector<std::string> links_;
  std::size_t begins_ = 0;  // the text of the link
};

}  // namespace

std::string markdown_html(std::string_view markdown, Escape escaped) {
  return HtmlWriter(escaped).run(markdown);
}

}  // namespace tern
