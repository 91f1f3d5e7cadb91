// The kinds of keys of the configuration: a share, a whole number, a flag, a text, a list, names. A field is
// a function from the configuration to the place of the value: TERN_FIELD(theme).
#pragma once

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "app/config/config_key.h"

#define TERN_FIELD(field) \
  [](Config & c) -> auto& { return c.field; }

namespace tern::keys {

inline std::string shown_number(double number) {
  return number == std::floor(number) ? std::to_string(static_cast<long long>(number))
                                      : nlohmann::json(number).dump();
}

template <class Field>
ConfigKey share(std::string name, Field field, std::string help) {
  return {
      .name = std::move(name),
      .wants = "a number from 0 to 1",
      .help = std::move(help),
      .set =
          [field](Config& config, const nlohmann::json& json) {
            if (!json.is_number() || !(json.get<double>() >= 0) || !(json.get<double>() <= 1)) return false;
            field(config) = json.get<double>();
            return true;
          },
      .get = [field](const Config& config) { return nlohmann::json(field(const_cast<Config&>(config))); }};
}

template <class Field>
ConfigKey whole(std::string name, Field field, double least, double most, std::string help) {
  return {
      .name = std::move(name),
      .wants = "a whole number from " + shown_number(least) + " to " + shown_number(most),
      .help = std::move(help),
      .set =
          [field, least, most](Config& config, const nlohmann::json& json) {
            if (!json.is_number() || json.get<double>() != std::floor(json.get<double>())) return false;
            if (json.get<double>() < least || json.get<double>() > most) return false;
            field(config) = static_cast<std::decay_t<decltype(field(config))>>(json.get<double>());
            return true;
          },
      .get = [field](const Config& config) { return nlohmann::json(field(const_cast<Config&>(config))); }};
}

template <class Field>
ConfigKey flag(std::string name, Field field, std::string help) {
  return {.name = std::move(name),
          .wants = "true or false",
          .help = std::move(help),
          .set =
              [field](Config& config, const nlohmann::json& json) {
                if (!json.is_boolean()) return false;
                field(config) = json.get<bool>();
                return true;
              },
          .get =
              [field](const Config& config) {
                return nlohmann::json(static_cast<bool>(field(const_cast<Config&>(config))));
              }};
}

// Any text, or one of the words of `choices`.
template <class Field>
ConfigKey text(std::string name, Field field, std::string choices, std::string help) {
  return {.name = std::move(name),
          .wants = choices.empty() ? "a text" : "one of " + choices,
          .help = std::move(help),
          .set =
              [field, choices](Config& config, const nlohmann::json& json) {
                if (!json.is_string()) return false;
                const std::string value = json.get<std::string>();
                if (!choices.empty() && (" " + choices + " ").find(" " + value + " ") == std::string::npos)
                  return false;
                field(config) = value;
                return true;
              },
          .get = [field](const Config& config) { return nlohmann::json(field(const_cast<Config&>(config))); },
          .text = true};
}

template <class Field>
ConfigKey texts(std::string name, Field field, std::string help) {
  return {.name = std::move(name),
          .wants = "a list of texts",
          .help = std::move(help),
          .set =
              [field](Config& config, const nlohmann::json& json) {
                if (!json.is_array() || !std::all_of(json.begin(), json.end(), [](const nlohmann::json& one) {
                      return one.is_string();
                    }))
                  return false;
                auto& list = field(config);
                list.clear();
                for (const nlohmann::json& one : json) list.emplace_back(one.get<std::string>());
                return true;
              },
          .get =
              [field](const Config& config) {
                nlohmann::json json = nlohmann::json::array();
                for (const auto& one : field(const_cast<Config&>(config))) json.push_back(std::string(one));
                return json;
              }};
}

template <class Field>
ConfigKey names(std::string name, Field field, std::string wants, std::string help) {
  return {
      .name = std::move(name),
      .wants = std::move(wants),
      .help = std::move(help),
      .set =
          [field](Config& config, const nlohmann::json& json) {
            if (!json.is_object()) return false;
            for (const auto& [from, to] : json.items()) {
              if (!to.is_string()) return false;
              field(config)[from] = to.template get<std::string>();
            }
            return true;
          },
      .get = [field](const Config& config) { return nlohmann::json(field(const_cast<Config&>(config))); }};
}

}  // namespace tern::keys
