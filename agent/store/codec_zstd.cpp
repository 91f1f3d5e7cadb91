#include "agent/store/codec_zstd.h"

#include <zstd.h>

#include <memory>

namespace tern {
namespace {

constexpr std::size_t kWorthIt = 4'096;
constexpr int kLevel = 1;  // level 3 gained nothing on tool output

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// A context costs 0.2 ms to make: one per thread.
ZSTD_CCtx* compressor() {
  thread_local std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  return context.get();
}
ZSTD_DCtx* decompressor() {
  thread_local std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  return context.get();
}

}  // namespace

Packed pack(std::string_view original) {
  if (original.size() < kWorthIt) return {};
  Packed packed{Packing::zstd, std::string(ZSTD_compressBound(original.size()), '\0')};
  const std::size_t size = ZSTD_compressCCtx(compressor(), packed.bytes.data(), packed.bytes.size(),
                                             original.data(), original.size(), kLevel);
  if (ZSTD_isError(size) || size >= original.size()) return {};
  packed.bytes.resize(size);
  packed.bytes.shrink_to_fit();
  return packed;
}

std::optional<std::string> unpack(Packing codec, std::string_view stored, std::size_t limit) {
  if (codec == Packing::raw) return std::string(stored);
  if (codec != Packing::zstd) return std::nullopt;
  const unsigned long long size = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > limit) return std::nullopt;
  std::string original(static_cast<std::size_t>(size), '\0');
  const std::size_t got =
      ZSTD_decompressDCtx(decompressor(), original.data(), original.size(), stored.data(), stored.size());
  if (ZSTD_isError(got) || got != original.size()) return std::nullopt;
  return original;
}

}  // namespace tern
