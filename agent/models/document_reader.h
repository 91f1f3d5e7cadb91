// Which models read documents as they are.
#pragma once

namespace tern {

struct ModelInfo;

// A model that sees pictures, at a service that takes PDFs.
bool reads_documents(const ModelInfo& model);

}  // namespace tern
