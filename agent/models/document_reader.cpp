#include "agent/models/document_reader.h"

#include <algorithm>
#include <string_view>

#include "agent/models/models.h"

namespace tern {

bool reads_documents(const ModelInfo& model) {
  constexpr std::string_view services[] = {"anthropic", "openai", "responses", "gemini"};
  return model.known && model.images &&
         std::find(std::begin(services), std::end(services), model.provider) != std::end(services);
}

}  // namespace tern
