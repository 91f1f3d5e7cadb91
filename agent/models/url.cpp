#include "agent/models/url.h"

#include <algorithm>
#include <charconv>

namespace tern {
namespace {

bool is_version(std::string_view segment) {
  if (segment.size() < 2 || segment[0] != 'v' || !std::isdigit(static_cast<unsigned char>(segment[1])))
    return segment == "openai";
  return segment.find_first_not_of("0123456789abehlpt.", 1) == segment.npos;
}

void strip_slashes(std::string& text) {
  while (text.ends_with('/')) text.pop_back();
}

}  // namespace

Url parse_url(std::string_view text) {
  Url url;
  if (const auto mark = text.find("://"); mark != text.npos) {
    url.scheme = text.substr(0, mark);
    std::transform(url.scheme.begin(), url.scheme.end(), url.scheme.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    text.remove_prefix(mark + 3);
  }
  const auto slash = std::min(text.find_first_of("/?#"), text.size());
  url.path = text.substr(slash);
  std::string_view host = text.substr(0, slash);
  if (const auto user = host.rfind('@'); user != host.npos) host.remove_prefix(user + 1);
  const auto bracket = host.starts_with('[') ? host.find(']') : host.npos;
  const auto colon = host.find(':', bracket == host.npos ? 0 : bracket);
  if (colon != host.npos && colon + 1 < host.size()) {
    const char* end = host.data() + host.size();
    const auto read = std::from_chars(host.data() + colon + 1, end, url.port);
    if (read.ec != std::errc() || read.ptr != end || url.port < 1 || url.port > 65535) url.port = -1;
  }
  url.host = bracket == host.npos ? host.substr(0, colon) : host.substr(1, bracket - 1);
  return url;
}

bool is_loopback(std::string_view host) {
  if (host == "localhost" || host == "::1" || host == "0:0:0:0:0:0:0:1" || host.ends_with(".localhost"))
    return true;
  if (!host.starts_with("127.")) return false;
  return host.find_first_not_of("0123456789.") == host.npos && std::count(host.begin(), host.end(), '.') == 3;
}

bool is_private_name(std::string_view host) {
  if (host.find(':') != host.npos) return true;  // an IPv6 number: pages have names
  if (is_loopback(host) || host.find('.') == host.npos || host.ends_with('.')) return true;
  for (const std::string_view suffix :
       {".local", ".localdomain", ".internal", ".lan", ".home", ".corp", ".intranet", ".home.arpa"})
    if (host.ends_with(suffix)) return true;
  // A last part that is a number makes all of it an address, whatever its form: 10.1, 0x7f.1, 2130706433.
  const std::string_view last = host.substr(host.rfind('.') + 1);
  return last.find_first_not_of("0123456789") == last.npos || last.starts_with("0x") ||
         last.starts_with("0X");
}

std::string endpoint_url(std::string_view base, std::string_view version, std::string_view endpoint) {
  std::string url(base);
  strip_slashes(url);
  for (std::string_view known : {"/chat/completions", "/messages", "/responses", "/models", "/api/chat"})
    if (url.ends_with(known)) url.resize(url.size() - known.size());
  strip_slashes(url);
  const auto path = url.find("://") == url.npos ? 0 : url.find("://") + 3;
  const auto slash = url.rfind('/');
  const bool versioned =
      slash != url.npos && slash >= path && is_version(std::string_view(url).substr(slash + 1));
  if (version.empty() && versioned) url.resize(slash);
  if (!versioned) url += version;
  return url + std::string(endpoint);
}

std::string host_url(std::string_view host, int default_port) {
  std::string url(host);
  if (url.empty()) return url;
  if (url.find("://") == url.npos) url = "http://" + url;
  strip_slashes(url);
  Url parts = parse_url(url);
  if (parts.host == "0.0.0.0") {
    url.replace(url.find("0.0.0.0"), 7, "127.0.0.1");
    parts.host = "127.0.0.1";
  }
  if (parts.port == 0 && parts.path.empty() && parts.scheme == "http")
    url += ":" + std::to_string(default_port);
  return url;
}

std::string refusal(std::string_view text) {
  const Url url = parse_url(text);
  if (url.host.empty()) return "the base URL \"" + std::string(text) + "\" names no host";
  if (url.port < 0)
    return "the base URL \"" + std::string(text) +
           "\" has an impossible port: it is a number from 1 to 65535";
  if (url.scheme == "https") return {};
  if (url.scheme == "http" && is_loopback(url.host)) return {};
  if (url.scheme == "http")
    return "refusing plain http to " + url.host +
           ": use https, or a tunnel to this machine (http://127.0.0.1)";
  return "the base URL \"" + std::string(text) + "\" must begin with https:// (or http:// on this machine)";
}

}  // namespace tern
