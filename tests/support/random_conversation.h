// Random but legal conversations, the same for the same seed: for property tests and benches.
#pragma once

#include <random>

#include "compression/values/conversation.h"

namespace tern::test {

struct RandomForm {
  int turns = 12;
  int most_lines = 60;  // of one result
  bool pins = true;
  bool attachments = true;
};
Conversation random_conversation(unsigned seed, const RandomForm& form = {});

}  // namespace tern::test
