#include "agent/models/models.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/models/providers.h"

namespace tern {
namespace {

struct Row {
  std::string_view provider, prefix;
  Tokens window, max_output, optimum;
  double input, output, cache_read, cache_write;
  std::string_view small_model, traits;
};

constexpr Row rows[] = {
#define MODEL(provider, prefix, window, max_output, optimum, input, output, read, write, small, traits) \
  {provider, prefix, window, max_output, optimum, input, output, read, write, small, traits},
#include "agent/models/models.inc"
#undef MODEL
};

struct BuiltinAlias {
  std::string_view name, provider, model;
};
constexpr BuiltinAlias builtin_aliases[] = {
    {"sonnet", "anthropic", "claude-sonnet-5-5"},
    {"opus", "anthropic", "claude-opus-5-5"},
    {"haiku", "anthropic", "claude-haiku-5-5"},
    {"gpt", "openai", "gpt-6.1-sol"},
    {"gpt-mini", "openai", "gpt-6-luna"},
    {"codex", "responses", "gpt-6.1-sol"},
    {"flash", "gemini", "gemini-3.8-flash"},
    {"gemini-pro", "gemini", "gemini-3.1-pro-preview"},
    {"demo", "demo", "demo"},
    {"demo-long", "demo", "long"},
};

// "anthropic/claude-sonnet-4.5" at a broker is "claude-sonnet-4-5" in the table.
std::string plain_name(std::string_view model) {
  if (auto slash = model.rfind('/'); slash != model.npos) model.remove_prefix(slash + 1);
  std::string name(model);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.starts_with("claude")) std::replace(name.begin(), name.end(), '.', '-');
  return name;
}

bool is_compatible_family(std::string_view provider) {
  return provider == "openai" || provider == "responses";
}

const Row* best_row(std::string_view provider, std::string_view model) {
  const std::string name = plain_name(model);
  const Row* best = nullptr;
  for (const Row& row : rows) {
    if (provider == "demo" ? row.provider != "demo" : row.provider == "demo") continue;
    if (name.starts_with(row.prefix) && (!best || row.prefix.size() > best->prefix.size())) best = &row;
  }
  return best;
}

bool is_local(std::string_view provider) {
  const ProviderKind* kind = find_provider(provider);
  return kind && kind->local;
}

// The small model is only named where it is certain to be served: by the vendor itself.
bool serves_family(std::string_view provider, const Row& row) {
  return provider == row.provider || (is_compatible_family(provider) && row.provider == "openai");
}

void fill(ModelInfo& info, const Row& row) {
  info.window = row.window, info.max_output = row.max_output;
  if (row.optimum) info.optimum = row.optimum;
  info.input = row.input, info.output = row.output, info.cache_read = row.cache_read,
  info.cache_write = row.cache_write;
  if (serves_family(info.provider, row) && info.name != row.small_model) info.small_model = row.small_model;
  info.images = row.traits.find('i') != row.traits.npos;
  info.thinking = row.traits.find('t') != row.traits.npos;
  info.caching = row.traits.find('c') != row.traits.npos;
  info.known = true;
  info.priced = row.provider == "demo" || row.input > 0;
}

// A server on this machine costs nothing, and its window is what it was started with, not what the model
// could do.
void make_local(ModelInfo& info) {
  info.window = info.provider == "ollama" ? 16'384 : 32'768;
  info.max_output = 4'096;
  info.optimum.reset();
  info.input = info.output = info.cache_read = info.cache_write = 0;
  info.priced = true, info.caching = true, info.known = false;
}

std::string take_number(const nlohmann::json& value, const std::string& key, ModelInfo& info) {
  if (!value.is_number()) return key + " must be a number";
  const double number = value.get<double>();
  if (number < 0) return key + " must not be negative";
  if (key == "window")
    return number < 2'000 ? "window must be at least 2000" : (info.window = Tokens(number), "");
  if (key == "maxOutput") info.max_output = Tokens(number);
  if (key == "optimum") info.optimum = Tokens(number);
  if (key == "input") info.input = number;
  if (key == "output") info.output = number;
  if (key == "cacheRead") info.cache_read = number;
  if (key == "cacheWrite") info.cache_write = number;
  if (key == "input" || key == "output" || key.starts_with("cache")) info.priced = true;
  return "";
}

constexpr std::string_view numbers[] = {"window", "maxOutput", "optimum",   "input",
                                        "output", "cacheRead", "cacheWrite"};

std::string take_field(const std::string& key, const nlohmann::json& value, ModelInfo& info,
                       std::string& alias) {
  if (std::find(std::begin(numbers), std::end(numbers), key) != std::end(numbers))
    return take_number(value, key, info);
  if (key == "smallModel" || key == "alias") {
    if (!value.is_string()) return key + " must be a string";
    return (key == "alias" ? alias : info.small_model) = value.get<std::string>(), "";
  }
  bool* flag = key == "images"     ? &info.images
               : key == "thinking" ? &info.thinking
               : key == "caching"  ? &info.caching
                                   : nullptr;
  if (!flag)
    return "unknown key \"" + key + "\" (known: window, maxOutput, optimum, input, output, cacheRead, " +
           "cacheWrite, smallModel, alias, images, thinking, caching)";
  if (!value.is_boolean()) return key + " must be true or false";
  return *flag = value.get<bool>(), "";
}

// "claude" gives the figures of the models that begin with it; the service has no model of that name.
bool is_family(const Row& family) {
  if (family.prefix.find_first_of("-0123456789") != family.prefix.npos) return false;
  const std::string beginning = std::string(family.prefix) + "-";
  return std::any_of(std::begin(rows), std::end(rows), [&](const Row& row) {
    return row.provider == family.provider && row.prefix.starts_with(beginning);
  });
}

}  // namespace

std::vector<std::string> model_fields() {
  std::vector<std::string> fields(std::begin(numbers), std::end(numbers));
  for (const char* other : {"smallModel", "alias", "images", "thinking", "caching"})
    fields.emplace_back(other);
  return fields;
}

double ModelInfo::dollars(const TokenUsage& usage) const {
  return (double(usage.input) * input + double(usage.output) * output +
          double(usage.cache_read) * cache_read + double(usage.cache_write - usage.long_write) * cache_write +
          double(usage.long_write) * long_write()) /
         1e6;
}

Tokens ModelInfo::reserve(Tokens window_override) const {
  return std::min({Tokens(20'000), (window_override ? window_override : window) / 8, max_output});
}

Models::Models() {
  for (const BuiltinAlias& row : builtin_aliases)
    aliases_.push_back({std::string(row.name), {std::string(row.provider), std::string(row.model)}});
}

std::string Models::describe(std::string_view name, std::string_view text) {
  const auto slash = name.find('/');
  if (slash == name.npos) return "model \"" + std::string(name) + "\": write it as provider/name";
  const auto json = nlohmann::json::parse(text, nullptr, false, true);
  if (!json.is_object()) return "model \"" + std::string(name) + "\": expected an object";
  ModelInfo info = find(name.substr(0, slash), name.substr(slash + 1));
  std::string short_name;
  for (const auto& [key, value] : json.items())
    if (auto wrong = take_field(key, value, info, short_name); !wrong.empty())
      return "model \"" + std::string(name) + "\": " + wrong;
  info.known = true;
  if (!short_name.empty()) alias(short_name, {info.provider, info.name});
  described_.push_back(std::move(info));
  return "";
}

void Models::alias(std::string name, ModelName target) {
  std::erase_if(aliases_, [&](const Alias& old) { return old.name == name; });
  aliases_.push_back({std::move(name), std::move(target)});
}

ModelInfo Models::find(std::string_view provider, std::string_view model) const {
  for (auto it = described_.rbegin(); it != described_.rend(); ++it)
    if (it->provider == provider && it->name == model) return *it;
  ModelInfo info;
  info.provider = provider, info.name = model;
  if (const Row* row = best_row(provider, model)) fill(info, *row);
  if (provider != "demo" && is_local(provider)) make_local(info);
  if (info.window > 200'000 && info.provider == "anthropic") info.optimum = 200'000;
  return info;
}

std::optional<ModelName> Models::resolve(std::string_view text) const {
  for (const Alias& alias : aliases_)
    if (alias.name == text) return alias.target;
  if (const auto slash = text.find('/'); slash != text.npos && find_provider(text.substr(0, slash)))
    return ModelName{std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
  for (const ModelInfo& info : described_)
    if (info.name == text) return ModelName{info.provider, info.name};
  if (const ProviderKind* kind = find_provider(text); kind && !kind->default_model.empty())
    return ModelName{std::string(kind->name), std::string(kind->default_model)};
  if (const Row* row = best_row("", text); row && find_provider(row->provider))
    return ModelName{std::string(row->provider), std::string(text)};
  return std::nullopt;
}

std::vector<std::string> Models::names() const {
  std::vector<std::string> out;
  for (const Alias& alias : aliases_)
    out.push_back(alias.name + " = " + alias.target.provider + "/" + alias.target.model);
  for (const Row& row : rows)
    if (!is_family(row)) out.push_back(std::string(row.provider) + "/" + std::string(row.prefix));
  for (const ModelInfo& info : described_) out.push_back(info.provider + "/" + info.name);
  return out;
}

}  // namespace tern
