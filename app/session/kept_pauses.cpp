#include "app/session/kept_pauses.h"

#include <fstream>
#include <string>

namespace tern {

void load_pauses(const std::filesystem::path& file, Gauges& gauges) {
  if (file.empty()) return;
  std::ifstream in(file);
  std::string line;
  if (std::getline(in, line)) gauges.pauses().load(line);
}

void keep_pauses(const std::filesystem::path& file, const Gauges& gauges) {
  if (file.empty() || !gauges.cache().seen) return;
  std::ofstream(file) << gauges.pauses().save() << '\n';
}

}  // namespace tern
