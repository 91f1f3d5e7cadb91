// The bytes behind recall ids.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/store/store_part.h"
#include "agent/store/store_types.h"

namespace tern {

class OriginalStore : protected StorePart {
 public:
  RecallId next_recall();  // gives ids; each at most once
  RecallId put_original(std::string_view bytes, std::string_view tool, std::string_view subject);
  void put_original(RecallId id, std::string_view bytes, std::string_view tool,
                    std::string_view subject);  // id: from next_recall()
  RecallId put_original_file(const std::filesystem::path& spill, std::string_view tool,
                             std::string_view subject);
  std::optional<Original> original(RecallId id) const;  // any session of this project
  std::optional<std::string> text(RecallId id) const;
  std::optional<std::string> bytes(RecallId id, std::int64_t offset, std::int64_t count) const;
  // 1-based, both included.
  std::optional<std::string> lines(RecallId id, std::size_t first, std::size_t last) const;
  std::vector<OriginalHit> search_originals(std::string_view text, RecallId only = {},
                                            std::size_t limit = 50) const;
  std::vector<Original> originals(std::size_t newest = 200) const;  // of the open session

 protected:
  using StorePart::StorePart;
};

}  // namespace tern
