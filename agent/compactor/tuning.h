// What the past of a session suggests for the configuration, with the evidence.
#pragma once

#include <string>
#include <vector>

#include "compression/values/stats.h"

namespace tern {

class LogStore;
class Store;

// `model` is the main one, "provider/name".
std::vector<Suggestion> tuning(const Store& store, const CompressionConfig& config, const std::string& model);
// Those that autoTune may apply unasked: numbers, and only so far.
std::vector<Suggestion> within_bounds(std::vector<Suggestion> suggestions);
std::string changes_of(
    const std::vector<Suggestion>& suggestions);  // JSON text of the keys; empty when there are none
std::string reasons_of(const std::vector<Suggestion>& suggestions);  // a line each
// The evidence is used up: the next tuning looks at what comes from here on.
void note_tuning(LogStore& store, const std::vector<Suggestion>& applied);

// /context tune as a page; `changes` gets changes_of() all of them.
std::string tuning_text(const Store& store, const CompressionConfig& config, const std::string& model,
                        std::string& changes);

}  // namespace tern
