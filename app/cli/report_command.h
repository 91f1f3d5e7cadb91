// `tern report [SESSION] [-o FILE.html]`: the page of a session, for people without tern.
#pragma once

#include <string>
#include <vector>

#include "agent/store/store.h"
#include "app/config/config.h"

namespace tern {

// 0 done, 1 not possible, 2 wrong words. The store is open for reading.
int run_report(Store& store, const std::vector<std::string>& words, const Config& config);

}  // namespace tern
