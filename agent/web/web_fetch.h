// WebFetch: one page of the public web, as text. The person is asked for each host; a redirect to another
// host is told, not followed.
#pragma once

#include <chrono>
#include <functional>

#include "agent/web/page_apart.h"
#include "tools/set/tool.h"

namespace tern {

struct WebAccess {
  bool public_only =
      true;  // no address of this machine or its networks, whatever the name says; off in tests alone
  std::function<PageRead(const std::string& html, const std::string& base, ToolContext& ctx)> read =
      read_page_apart;
  std::function<PdfText(const std::string& bytes, ToolContext& ctx)> read_pdf = read_pdf_apart;
  std::function<std::chrono::steady_clock::time_point()> now =
      std::chrono::steady_clock::now;  // for the cache
};
Tool web_fetch_tool(const WebAccess& access = {});

}  // namespace tern
