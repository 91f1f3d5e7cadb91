// A page as Markdown: what a reader would read of it, without scripts, styles and navigation.
#pragma once

#include <string>
#include <string_view>

namespace tern {

struct WebPage {
  std::string title, text;
};

// `base` is the page's address: links are made whole by it. Bytes are UTF-8.
WebPage html_markdown(std::string_view html, std::string_view base);

// The address that a link on a page leads to; empty for one that leads nowhere a request could go.
std::string join_url(std::string_view base, std::string_view link);

}  // namespace tern
