// Reads a page in a process of its own: one that was made to fill the memory or to take for ever costs a
// bounded share of both, and what goes wrong in the parser stays there.
#pragma once

#include <string>

#include "agent/web/html_markdown.h"
#include "tools/files/document.h"

namespace tern {

struct ToolContext;

struct PageRead {
  WebPage page;
  std::string error;  // why there is none
};

PageRead read_page_apart(const std::string& html, const std::string& base, ToolContext& ctx);

// A PDF by pdftotext, through a private file.
PdfText read_pdf_apart(const std::string& bytes, ToolContext& ctx);

// That process: `tern --read-page BASE` takes the HTML on its input and writes the title, a line break and
// the Markdown.
inline constexpr const char* read_page_flag = "--read-page";
int read_page_main(int argc, char** argv);

}  // namespace tern
