// The calls that change the file system, for both halves of wall_watch.h: where each has its path, and when
// it changes anything.
#pragma once

#include <sys/syscall.h>

namespace tern::walls {

struct FileCall {
  // opening: to write, or to make a file. makes: fails on a name that exists. changes: fails on one that does
  // not.
  enum class When { opening, makes, changes } when;
  long number;
  int path;            // index of the argument
  int directory = -1;  // of the descriptor it is relative to; −1: the working directory
  int flags = -1;      // opening only
};

inline constexpr FileCall file_calls[] = {
#ifdef SYS_open
    {FileCall::When::opening, SYS_open, 0, -1, 1},  {FileCall::When::opening, SYS_creat, 0},
    {FileCall::When::makes, SYS_mkdir, 0},          {FileCall::When::makes, SYS_mknod, 0},
    {FileCall::When::makes, SYS_symlink, 1},        {FileCall::When::makes, SYS_link, 1},
    {FileCall::When::changes, SYS_rename, 0},       {FileCall::When::changes, SYS_unlink, 0},
    {FileCall::When::changes, SYS_rmdir, 0},        {FileCall::When::changes, SYS_chmod, 0},
    {FileCall::When::changes, SYS_chown, 0},
#endif
#ifdef SYS_renameat
    {FileCall::When::changes, SYS_renameat, 1, 0},
#endif
    {FileCall::When::opening, SYS_openat, 1, 0, 2}, {FileCall::When::makes, SYS_mkdirat, 1, 0},
    {FileCall::When::makes, SYS_mknodat, 1, 0},     {FileCall::When::makes, SYS_symlinkat, 2, 1},
    {FileCall::When::makes, SYS_linkat, 3, 2},      {FileCall::When::changes, SYS_renameat2, 1, 0},
    {FileCall::When::changes, SYS_unlinkat, 1, 0},  {FileCall::When::changes, SYS_truncate, 0},
    {FileCall::When::changes, SYS_fchmodat, 1, 0},  {FileCall::When::changes, SYS_fchownat, 1, 0},
    {FileCall::When::changes, SYS_utimensat, 1, 0},
};

}  // namespace tern::walls
