#include "agent/mcp/oauth_metadata.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/mcp/rpc.h"
#include "agent/models/url.h"
#include "agent/models/wire.h"
#include "compression/text/sha256.h"
#include "tools/set/args.h"

namespace tern {

namespace {

using nlohmann::json;

constexpr const char* kResourcePlace = "/.well-known/oauth-protected-resource";
constexpr const char* kServerPlace = "/.well-known/oauth-authorization-server";
constexpr const char* kOpenIdPlace = "/.well-known/openid-configuration";

// A quoted or bare value behind `name=`, where no other word ends in that name.
std::string parameter(std::string_view header, std::string_view name) {
  for (std::size_t at = header.find(name); at != header.npos; at = header.find(name, at + 1)) {
    const bool begins = at == 0 || header[at - 1] == ' ' || header[at - 1] == ',';
    std::size_t from = at + name.size();
    if (!begins || from >= header.size() || header[from] != '=') continue;
    const bool quoted = ++from < header.size() && header[from] == '"';
    from += quoted;
    const std::size_t end =
        std::min(quoted ? header.find('"', from) : header.find_first_of(", ", from), header.size());
    return std::string(header.substr(from, end - from));
  }
  return {};
}

std::vector<std::string> texts(const json& object, const char* name) {
  std::vector<std::string> list;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return list;
  for (const json& each : *found)
    if (each.is_string()) list.push_back(each.get<std::string>());
  return list;
}

bool is_true(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

json object_of(std::string_view text) {
  if (nests_too_deep(text)) return nullptr;
  json root = json::parse(text, nullptr, false);
  return root.is_object() ? root : json(nullptr);
}

std::string path_of(std::string_view url) {
  std::string path = parse_url(url).path;
  path.resize(std::min(path.find_first_of("?#"), path.size()));
  while (path.ends_with('/')) path.pop_back();
  return path;
}

bool plain_in_form(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (plain_in_form(c))
      out += c;
    else
      out += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return out;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool coded =
        text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
    out += text[i] == '+' ? ' '
           : coded        ? static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]))
                          : text[i];
    if (coded) i += 2;
  }
  return out;
}

}  // namespace

OAuthChallenge read_challenge(std::string_view header) {
  return {parameter(header, "resource_metadata"), parameter(header, "scope"), parameter(header, "error")};
}

std::string origin_of(std::string_view url) {
  const Url parts = parse_url(url);
  const bool six = parts.host.find(':') != std::string::npos;
  std::string origin = parts.scheme + "://" + (six ? "[" + parts.host + "]" : parts.host);
  if (parts.port > 0) origin += ":" + std::to_string(parts.port);
  return origin;
}

std::vector<std::string> resource_metadata_places(std::string_view url) {
  const std::string origin = origin_of(url), path = path_of(url);
  std::vector<std::string> places;
  if (!path.empty()) places.push_back(origin + kResourcePlace + path);
  places.push_back(origin + kResourcePlace);
  return places;
}

std::vector<std::string> issuer_metadata_places(std::string_view issuer) {
  const std::string origin = origin_of(issuer), path = path_of(issuer);
  if (path.empty()) return {origin + kServerPlace, origin + kOpenIdPlace};
  return {origin + kServerPlace + path, origin + kOpenIdPlace + path, origin + path + kOpenIdPlace};
}

std::string read_resource(std::string_view text, std::string_view server_url, OAuthResource& resource) {
  const json root = object_of(text);
  if (root.is_null()) return "it is not a JSON object";
  resource = {member_text(root, "resource"), texts(root, "authorization_servers"),
              texts(root, "scopes_supported")};
  const std::string path = path_of(server_url), claimed = path_of(resource.resource);
  const bool leads =
      claimed == path || (path.starts_with(claimed) && (claimed.empty() || path[claimed.size()] == '/'));
  if (origin_of(resource.resource) != origin_of(server_url) || !leads)
    return "it is about another resource, " + resource.resource;
  return resource.issuers.empty() ? "it names no authorization server" : "";
}

std::string read_issuer(std::string_view text, std::string_view issuer, OAuthIssuer& server) {
  const json root = object_of(text);
  if (root.is_null()) return "it is not a JSON object";
  if (member_text(root, "issuer") != issuer)
    return "it comes from another issuer, \"" + member_text(root, "issuer") + "\"";
  server.issuer = std::string(issuer);
  server.authorization_endpoint = member_text(root, "authorization_endpoint");
  server.token_endpoint = member_text(root, "token_endpoint");
  server.registration_endpoint = member_text(root, "registration_endpoint");
  server.scopes = texts(root, "scopes_supported");
  server.token_methods = texts(root, "token_endpoint_auth_methods_supported");
  server.takes_metadata_url = is_true(root, "client_id_metadata_document_supported");
  server.names_itself = is_true(root, "authorization_response_iss_parameter_supported");
  for (const std::string& each : {server.authorization_endpoint, server.token_endpoint}) {
    if (each.empty()) return "it names no endpoint to sign in at";
    if (const std::string why = refusal(each); !why.empty()) return each + ": " + why;
  }
  if (const std::string why = refusal(server.registration_endpoint);
      !server.registration_endpoint.empty() && !why.empty())
    return server.registration_endpoint + ": " + why;
  const auto methods = texts(root, "code_challenge_methods_supported");
  if (!methods.empty() && std::find(methods.begin(), methods.end(), "S256") == methods.end())
    return "it does not support PKCE with S256, without which a code can be stolen on its way";
  return {};
}

OAuthIssuer issuer_without_metadata(std::string_view server_url) {
  OAuthIssuer server;
  server.issuer = origin_of(server_url);
  server.authorization_endpoint = server.issuer + "/authorize";
  server.token_endpoint = server.issuer + "/token";
  server.registration_endpoint = server.issuer + "/register";
  return server;
}

std::string form_encoded(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string out;
  for (const auto& [name, value] : pairs)
    out += (out.empty() ? "" : "&") + name + "=" + percent_encoded(value);
  return out;
}

std::string query_value(std::string_view url, std::string_view name, bool* found) {
  if (found != nullptr) *found = false;
  const std::size_t begin = url.find('?');
  std::string_view rest = begin == url.npos ? std::string_view() : url.substr(begin + 1);
  rest = rest.substr(0, rest.find('#'));
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (pair.substr(0, equals) == name) {
      if (found != nullptr) *found = true;
      return percent_decoded(pair.substr(std::min(equals + 1, pair.size())));
    }
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
  }
  return {};
}

std::string joined_scopes(std::string_view a, std::string_view b) {
  std::istringstream words(std::string(a) + " " + std::string(b));
  std::vector<std::string> all;
  std::string out;
  for (std::string word; words >> word;) {
    if (std::find(all.begin(), all.end(), word) != all.end()) continue;
    out += (out.empty() ? "" : " ") + word;
    all.push_back(word);
  }
  return out;
}

std::string base64_url(std::string_view bytes) {
  std::string out;
  append_base64(out, bytes);
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  while (out.ends_with('=')) out.pop_back();
  return out;
}

std::string pkce_challenge(std::string_view verifier) {
  const std::string hex = sha256(verifier);
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(hex_digit(hex[i]) * 16 + hex_digit(hex[i + 1]));
  return base64_url(bytes);
}

}  // namespace tern
