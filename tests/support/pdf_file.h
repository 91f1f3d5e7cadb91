// A PDF with a line of text on each page.
#pragma once

#include <string>
#include <vector>

namespace tern::test {

std::string pdf_of(const std::vector<std::string>& lines);

}  // namespace tern::test
