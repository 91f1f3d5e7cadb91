// Arguments of a tool that also travel as headers, so that what stands between us and the server can see
// them: properties with "x-mcp-header" in a tool's schema. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tern {

struct ParamHeader {
  std::vector<std::string> path;  // of the property
  std::string header;             // "Mcp-Param-Region"
};
// False: the schema asks for what must not be, and the tool is not to be used.
bool read_param_headers(const nlohmann::json& schema, std::vector<ParamHeader>& headers);

std::vector<std::pair<std::string, std::string>> values_of(const std::vector<ParamHeader>& headers,
                                                           const nlohmann::json& arguments);

}  // namespace tern
