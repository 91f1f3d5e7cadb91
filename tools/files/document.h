// Files that are not text but can be told as text: notebooks by ourselves, PDFs by pdftotext where it is
// installed.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

namespace tern {

// Cells with their source and text outputs; `error` when it is not a notebook.
std::string notebook_text(std::string_view json_text, std::string& error);

// The text of a PDF; `error` says what is missing or what went wrong.
std::string pdf_text(const std::filesystem::path& file, const std::filesystem::path& cwd,
                     std::stop_token stop, std::string& error);

}  // namespace tern
