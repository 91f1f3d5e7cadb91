// Which of OpenAI's two dialects a model speaks, and a codec that asks each in its own.
#include <algorithm>

#include "agent/models/openai.h"
#include "compression/text/plain_text.h"

namespace tern {
namespace {

// "gpt-5.4-mini" → 504, "gpt-6-sol" → 600; 0 for other names.
int gpt_version(std::string_view model) {
  if (!model.starts_with("gpt-")) return 0;
  model.remove_prefix(4);
  int parts[2] = {0, 0};
  for (int& part : parts) {
    while (!model.empty() && model.front() >= '0' && model.front() <= '9' && part < 100)
      part = part * 10 + (model.front() - '0'), model.remove_prefix(1);
    if (!model.starts_with('.')) break;
    model.remove_prefix(1);
  }
  return parts[0] * 100 + parts[1];
}

class OpenAi : public Codec {
 public:
  explicit OpenAi(const ProviderConfig& config)
      : chat_(chat_codec(config, {.first_party = true})), responses_(responses_codec(config)) {}

  void allow(const Allowances& allowed) override { chat_->allow(allowed), responses_->allow(allowed); }
  std::string url(const Request& request) const override { return of(request).url(request); }
  Headers headers(const Request& request) const override { return of(request).headers(request); }
  void body(const Request& request, FragmentCache& cache, std::string& out) const override {
    of(request).body(request, cache, out);
  }
  std::unique_ptr<Decoder> decoder(const Request& request) const override {
    return of(request).decoder(request);
  }
  bool searches(const Request& request) const override { return of(request).searches(request); }

 private:
  const Codec& of(const Request& request) const {
    return wants_responses(request.model) ? *responses_ : *chat_;
  }

  std::unique_ptr<Codec> chat_, responses_;
};

}  // namespace

bool wants_responses(std::string_view model) {
  return gpt_version(model) >= 504 || contains(model, "codex") || model.ends_with("-pro") ||
         contains(model, "-pro-");
}

bool openai_searches(std::string_view model) { return gpt_version(model) >= 504; }

bool openai_reasons(std::string_view model) {
  if (contains(model, "-chat") || model.starts_with("chatgpt")) return false;
  return gpt_version(model) == 0 ? !model.starts_with("gpt-") || model.starts_with("gpt-oss")
                                 : gpt_version(model) >= 500;
}

std::unique_ptr<Codec> openai_codec(const ProviderConfig& config) { return std::make_unique<OpenAi>(config); }

}  // namespace tern
