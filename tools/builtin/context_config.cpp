#include "tools/builtin/context_tool.h"

namespace tern {

using nlohmann::json;

namespace {

// Every key of .compression/config.json is taken; the configuration itself says what each wants.
ToolOutput run(const json& args, ToolContext& ctx) {
  json changes = args;
  for (auto& [key, value] : changes.items()) {
    const auto plain = value.is_string() ? json::parse(value.get<std::string>(), nullptr, false) : json();
    if (plain.is_number() || plain.is_boolean()) value = plain;
  }
  if (changes.contains("importanceThreshold") && changes["importanceThreshold"] > 1)
    return {.text = "importanceThreshold must lie between 0 and 1. Nothing was changed.", .is_error = true};
  return ask_context("config", changes, ctx);
}

}  // namespace

Tool context_config_tool() {
  return {
      .name = "context_config",
      .description = "Changes settings, as {keepRecent: 15}; else lists them.",
      .about = "Changes when and how the context is compacted.",
      .schema = R"({"type":"object","properties":{},"additionalProperties":true})",
      .effects = Effect::context,
      .basic = true,
      .aliases = "",
      .run = run,
      .subject = no_subject,
      .label = {},
  };
}

}  // namespace tern
