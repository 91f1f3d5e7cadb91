// Servers that speak OpenAI chat completions: where they live and what is special about them.
#include "agent/models/openai.h"
#include "agent/models/providers.h"

namespace tern::providers {

namespace {
std::unique_ptr<Codec> local(const ProviderConfig& config) {
  return chat_codec(config, {.may_cut_prompt = true});
}
std::unique_ptr<Codec> broker(const ProviderConfig& config) {
  return chat_codec(config, {.broker = true, .dialect = "openrouter"});
}
std::unique_ptr<Codec> with_reasoning(const ProviderConfig& config) {
  return chat_codec(config, {.returns_reasoning = true, .dialect = "chat-reasoning"});
}
}  // namespace

extern const ProviderKind llamacpp, lmstudio, vllm, openrouter, deepseek;

const ProviderKind llamacpp{.name = "llamacpp",
                            .title = "llama.cpp server on this machine",
                            .base_url = "http://127.0.0.1:8080",
                            .default_model = "",
                            .key_variables = "LLAMACPP_API_KEY",
                            .url_variable = "LLAMACPP_BASE_URL",
                            .model_variable = "",
                            .needs_key = false,
                            .local = true,
                            .codec = local};

const ProviderKind lmstudio{.name = "lmstudio",
                            .title = "LM Studio on this machine",
                            .base_url = "http://127.0.0.1:1234",
                            .default_model = "",
                            .key_variables = "LMSTUDIO_API_KEY",
                            .url_variable = "LMSTUDIO_BASE_URL",
                            .model_variable = "",
                            .needs_key = false,
                            .local = true,
                            .codec = local};

const ProviderKind vllm{.name = "vllm",
                        .title = "vLLM",
                        .base_url = "http://127.0.0.1:8000",
                        .default_model = "",
                        .key_variables = "VLLM_API_KEY",
                        .url_variable = "VLLM_BASE_URL",
                        .model_variable = "",
                        .needs_key = false,
                        .local = true,
                        .codec = local};

const ProviderKind openrouter{.name = "openrouter",
                              .title = "OpenRouter",
                              .base_url = "https://openrouter.ai/api/v1",
                              .default_model = "",
                              .key_variables = "OPENROUTER_API_KEY",
                              .url_variable = "OPENROUTER_BASE_URL",
                              .model_variable = "OPENROUTER_MODEL",
                              .codec = broker};

const ProviderKind deepseek{.name = "deepseek",
                            .title = "DeepSeek",
                            .base_url = "https://api.deepseek.com",
                            .default_model = "deepseek-flash",
                            .key_variables = "DEEPSEEK_API_KEY",
                            .url_variable = "DEEPSEEK_BASE_URL",
                            .model_variable = "DEEPSEEK_MODEL",
                            .codec = with_reasoning};

}  // namespace tern::providers
