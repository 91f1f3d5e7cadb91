// The events of an answer in Anthropic's dialect, read.
#pragma once

#include <memory>
#include <string_view>

#include "agent/models/codec.h"

namespace tern {

constexpr std::string_view anthropic_dialect = "anthropic";  // the mark of its signatures
std::unique_ptr<Decoder> anthropic_decoder();

}  // namespace tern
