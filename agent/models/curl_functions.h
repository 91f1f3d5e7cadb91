// The functions of curl that tern calls. The first provider that needs curl loads it: its thirty libraries
// cost 6 ms and several MB, which `tern --version` or the demo should not pay. The portable binary carries
// its own.
#pragma once

#include <curl/curl.h>

namespace tern {

// clang-format off
#define TERN_CURL_FUNCTIONS(X) \
  X(global_init) X(easy_init) X(easy_setopt) X(easy_getinfo) X(easy_cleanup) X(easy_reset) X(easy_strerror) \
  X(easy_pause) X(slist_append) X(slist_free_all) X(multi_init) X(multi_setopt) X(multi_add_handle) \
  X(multi_remove_handle) X(multi_perform) X(multi_info_read) X(multi_poll) X(multi_wakeup) X(multi_cleanup)
// clang-format on

struct CurlFunctions {
#define X(name) decltype(&::curl_##name) name = nullptr;
  TERN_CURL_FUNCTIONS(X)
#undef X

  bool load();  // false: there is none on this machine, or it does not start
};

}  // namespace tern
