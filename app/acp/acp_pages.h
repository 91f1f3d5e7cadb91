// What the session answers to a slash command, as Markdown.
#pragma once

#include <string>

#include "agent/protocol/event.h"

namespace tern {

bool has_page(const Event& event);
std::string page_text(const Event& event);  // empty for an event that is no page

}  // namespace tern
