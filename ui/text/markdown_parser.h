// md4c speaks in blocks, spans and text; this hands them to a listener that has enter, leave, enter_span,
// leave_span and text. The one owner of md4c. Raw HTML is text like any other.
#pragma once

#include <md4c.h>

#include <string_view>

namespace tern {

template <class Listener>
void parse_markdown(std::string_view markdown, Listener& listener) {
  MD_PARSER parser{};
  parser.flags = MD_DIALECT_GITHUB | MD_FLAG_NOHTML;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
    return static_cast<Listener*>(self)->enter(type, detail);
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
    return static_cast<Listener*>(self)->leave(type, detail);
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
    return static_cast<Listener*>(self)->enter_span(type, detail);
  };
  parser.leave_span = [](MD_SPANTYPE type, void* detail, void* self) {
    return static_cast<Listener*>(self)->leave_span(type, detail);
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
    return static_cast<Listener*>(self)->text(type, std::string_view(text, size));
  };
  md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &listener);
}

}  // namespace tern
