// `tern --supervise`: reads one request from descriptor 0, runs it in a session of its own, and writes the
// end to descriptor 2 after every process of the tree is gone. Descriptor 0 closing means the owner died: the
// tree is killed. Asked to "stay", it takes another request after a command that ended by itself and left
// nothing; that one brings the descriptor of its output. main() calls supervise_main() before anything else
// is set up; it needs no configuration, no locale, no allocation of note.
#pragma once

namespace tern {

int supervise_main(int argc, char** argv);

}  // namespace tern
