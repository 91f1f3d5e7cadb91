// What a stretch of the conversation is about: paths, identifiers and words, compared by overlap.
// Feeds the boundary (a change of topic is a good place to cut) and the order of the local summary.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compression/values/conversation.h"

namespace tern {

struct Signature {
  std::vector<std::uint64_t> paths, names, words;  // sorted, each once
  bool empty() const { return paths.empty() && names.empty() && words.empty(); }
};
Signature signature_of(const Item& item);
void merge(Signature& into, const Signature& other);

// 0 nothing in common .. 1 the smaller is inside the larger; paths weigh most, then identifiers, then words.
double overlap(const Signature& a, const Signature& b);

struct TopicCluster {
  std::size_t first = 0, last = 0;  // items, both ends belong to it
  std::string topic;                // its most used path or identifier, else how the request begins
  Tokens tokens = 0;
};
// Neighbouring turns that share a topic, in order; system items belong to none.
std::vector<TopicCluster> clusters(const Conversation& conversation);

}  // namespace tern
