// The search of the web that some services offer: asked for as a tool that they run themselves.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

class StreamOut;
struct Request;
struct ToolSpec;

// The kind of provider that reaches the search of this one's service; empty: it has none.
std::string_view searcher_of(std::string_view provider);
// A request with this as its only tool has the service search for its answer.
ToolSpec hosted_search();
bool asks_the_web(const Request& request);

// What a service that searched names as its sources. One per answer.
class HostedSources {
 public:
  // An object with an address ("url" or "uri") and mostly a title; anything else is passed over.
  void add(const nlohmann::json& source);
  void add_all(const nlohmann::json& sources);  // a list of them; anything else is passed over
  // Behind the answer, as a text block of their own; nothing when there are none.
  void tell(StreamOut& out);

 private:
  std::vector<std::pair<std::string, std::string>> found_;  // address, title
};

}  // namespace tern
