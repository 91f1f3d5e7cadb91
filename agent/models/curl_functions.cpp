#include "agent/models/curl_functions.h"

#include <dlfcn.h>

#include <initializer_list>

namespace tern {

#ifdef TERN_STATIC_CURL

bool CurlFunctions::load() {
#define X(what) what = &::curl_##what;
  TERN_CURL_FUNCTIONS(X)
#undef X
  return global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

#else

bool CurlFunctions::load() {
  void* library = nullptr;
  for (const char* file : {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so", "libcurl.4.dylib"})
    if (!library) library = ::dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  if (!library) return false;
  bool all = true;
#define X(what) all &= (what = reinterpret_cast<decltype(what)>(::dlsym(library, "curl_" #what))) != nullptr;
  TERN_CURL_FUNCTIONS(X)
#undef X
  return all && global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

#endif

}  // namespace tern
