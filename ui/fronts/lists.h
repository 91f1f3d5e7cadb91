// Lists whose rows act: Enter opens, d deletes, `/` filters, the same everywhere.
#pragma once

namespace tern {

struct ListShown;
struct Shell;

void open_list(Shell& shell, ListShown list);

}  // namespace tern
