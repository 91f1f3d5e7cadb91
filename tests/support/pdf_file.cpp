#include "tests/support/pdf_file.h"

#include <cstdio>

namespace tern::test {

std::string pdf_of(const std::vector<std::string>& lines) {
  constexpr std::size_t before_pages = 3;  // catalog, pages, font
  std::string kids, page_objects;
  std::vector<std::string> objects{"<< /Type /Catalog /Pages 2 0 R >>", "",
                                   "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"};
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const auto page = std::to_string(before_pages + 1 + 2 * n);
    const auto content = std::to_string(before_pages + 2 + 2 * n);
    const std::string drawn = "BT /F1 24 Tf 72 700 Td (" + lines[n] + ") Tj ET";
    kids += page + " 0 R ";
    objects.push_back("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents " + content +
                      " 0 R /Resources << /Font << /F1 3 0 R >> >> >>");
    objects.push_back("<< /Length " + std::to_string(drawn.size()) + " >>\nstream\n" + drawn + "\nendstream");
  }
  objects[1] = "<< /Type /Pages /Kids [" + kids + "] /Count " + std::to_string(lines.size()) + " >>";
  std::string pdf = "%PDF-1.4\n", table;
  for (std::size_t n = 0; n < objects.size(); ++n) {
    char row[24];
    std::snprintf(row, sizeof row, "%010zu 00000 n \n", pdf.size());
    table += row;
    pdf += std::to_string(n + 1) + " 0 obj\n" + objects[n] + "\nendobj\n";
  }
  const auto size = std::to_string(objects.size() + 1), at = std::to_string(pdf.size());
  return pdf + "xref\n0 " + size + "\n0000000000 65535 f \n" + table + "trailer << /Size " + size +
         " /Root 1 0 R >>\nstartxref\n" + at + "\n%%EOF\n";
}

}  // namespace tern::test
