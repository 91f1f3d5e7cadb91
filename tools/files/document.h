// Files that are not text but can be told as text: notebooks by ourselves, PDFs by pdftotext where it is
// installed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

struct ImageData;
struct ToolContext;

// Cells with their source and text outputs. Pictures of outputs go to `pictures`, as many as a result should
// hold. `error` when it is not a notebook.
std::string notebook_text(std::string_view json_text, std::vector<ImageData>& pictures, std::string& error);

struct PdfText {
  std::vector<std::string> pages;
  std::string error;  // what is missing or what went wrong
};
// Reads in a process that may only look, where there is a sandbox.
PdfText pdf_text(const std::filesystem::path& file, const ToolContext& ctx);

struct PageRange {
  std::size_t first = 1, last = 0;  // both included; last 0: up to the end
};
// "7", "3-7" or "3-". False: it is none of these.
bool parse_pages(std::string_view text, PageRange& range);
// The text of those pages, each under a line "[page N]". Empty: there are no such pages.
std::string text_of_pages(const PdfText& pdf, const PageRange& range);

}  // namespace tern
