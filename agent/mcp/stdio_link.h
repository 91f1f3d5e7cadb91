// A server that speaks JSON-RPC as a child of ours: messages on its input and output, free text on stderr, of
// which the end is kept. One thread reads and writes; whatever the server does, nobody waits for it and no
// more than a message of it is held.
#pragma once

#include <memory>
#include <string>

#include "agent/mcp/line_splitter.h"
#include "agent/mcp/link.h"
#include "tools/exec/process.h"

namespace tern {

// How messages are told apart on a stream of bytes.
struct StdioFraming {
  std::function<void(std::string_view bytes, const LineSplitter::Lines& messages)> feed;
  std::function<std::string(const std::string& message)> frame;
};
StdioFraming line_framing();  // one message a line, as MCP has it

class StdioLink : public McpLink {
 public:
  explicit StdioLink(ProcessSpec spec, StdioFraming framing = line_framing());
  ~StdioLink() override;

  std::string open(LinkEvents events) override;
  std::string send(const Outgoing& message, std::stop_token stop) override;
  void close() override;
  bool tries_modern_first() const override { return false; }  // the question would wake servers that sleep
  std::string last_words() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tern
