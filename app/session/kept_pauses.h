// What a user's pauses say about the provider's cache, kept from session to session in one small file of
// their state.
#pragma once

#include <filesystem>

#include "agent/compactor/meters.h"

namespace tern {

void load_pauses(const std::filesystem::path& file, Gauges& gauges);
// The newest session's figures count; nothing is written without a cache, nor where `file` is empty.
void keep_pauses(const std::filesystem::path& file, const Gauges& gauges);

}  // namespace tern
