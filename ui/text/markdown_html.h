// Markdown as HTML that loads nothing: a picture becomes a link, and only web addresses can be followed.
#pragma once

#include <string>
#include <string_view>

namespace tern {

// `escaped` makes text harmless, in quotes as well; everything that is not ours passes through it. The text
// is valid UTF-8.
using Escape = std::string (*)(std::string_view);
std::string markdown_html(std::string_view markdown, Escape escaped);

}  // namespace tern
