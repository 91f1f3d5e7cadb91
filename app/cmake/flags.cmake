# How our own code is compiled: target tern_flags (warnings), and per build type and sanitizer the global flags.
include(CheckCXXSourceCompiles)
include(CheckIPOSupported)

add_library(tern_flags INTERFACE)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(tern_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror)
  if(TERN_SANITIZE)  # instrumented code misleads the warnings that follow values; the plain builds hold them
    target_compile_options(tern_flags INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-maybe-uninitialized -Wno-restrict)
  elseif(CMAKE_BUILD_TYPE STREQUAL Debug)  # and -Og misleads this one; the Release build holds it
    target_compile_options(tern_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
else()  # clang builds the fuzzers; what it warns of changes with its version
  target_compile_options(tern_flags INTERFACE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor)
endif()
target_compile_options(tern_flags INTERFACE -Wno-missing-field-initializers)  # designated initialisers leave the rest to defaults

if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
  add_compile_options(-fsigned-char)  # as it is on those: text is compared with it
endif()

if(TERN_PORTABLE)
  add_compile_definitions(TERN_STATIC_CURL)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # One cache for all checkouts: paths below the source folder count relative to it.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)

set(CMAKE_CXX_FLAGS_DEBUG "-Og -g1 -D_GLIBCXX_ASSERTIONS")  # compiles in an eighth less time than -O1
if(TERN_SANITIZE)
  set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -D_GLIBCXX_ASSERTIONS")  # instrumented code is slow enough
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG -ffunction-sections -fdata-sections")
add_compile_options(-fno-plt -fstack-protector-strong)
add_link_options(-Wl,--as-needed -Wl,--gc-sections)

if(TERN_ALONE)
  set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g0")
endif()

if(TERN_SANITIZE STREQUAL address)
  # Left out: checks that double the compile time of template-heavy files and that a wrong address shows to ASan anyway.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null,vptr,alignment,object-size,pointer-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(TERN_SANITIZE STREQUAL thread)
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
elseif(TERN_SANITIZE)
  message(FATAL_ERROR "TERN_SANITIZE is '${TERN_SANITIZE}'; it may be address or thread")
endif()

# tern_precompile(TARGET kind more headers…): with TERN_PCH the headers that nearly every file reads are read once for all targets of
# one kind, that is with the same options, that want the same ones. It hides a forgotten include; TERN_ALONE finds that.
function(tern_precompile target kind)
  if(NOT TERN_PCH)
    return()
  endif()
  string(MD5 wanted "${kind} ${ARGN}")
  get_property(owner GLOBAL PROPERTY tern_precompiled_${wanted})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    return()
  endif()
  target_precompile_headers(${target} PRIVATE <algorithm> <chrono> <filesystem> <functional> <map> <memory> <optional> <string>
                                              <string_view> <unordered_map> <variant> <vector> ${ARGN})
  set_property(GLOBAL PROPERTY tern_precompiled_${wanted} ${target})
endfunction()

if(TERN_FUZZ STREQUAL libfuzzer)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(CMAKE_BUILD_TYPE STREQUAL Release)
  check_ipo_supported(RESULT lto OUTPUT lto_why)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ${lto})
  add_link_options(-s -static-libstdc++ -static-libgcc)
  if(NOT TERN_PORTABLE AND NOT CMAKE_CROSSCOMPILING)  # needs a C library of 2.36 or later where it runs
    include(CheckCXXSourceRuns)
    set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,-z,pack-relative-relocs)
    check_cxx_source_runs("int main() {}" RUNS_PACKED_RELOCATIONS)
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
    if(RUNS_PACKED_RELOCATIONS)
      add_link_options(-Wl,-z,pack-relative-relocs)
    endif()
  endif()
  if(lto AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_link_options(-Werror=odr)  # two types of one name in two folders: the linker alone sees both
  endif()
else()
  # A quick linker where there is one; one thread each, ninja already keeps the cores busy.
  foreach(linker "lld -Wl,--threads=1" gold)
    separate_arguments(options UNIX_COMMAND "-fuse-ld=${linker}")
    string(SUBSTRING ${linker} 0 3 name)
    set(CMAKE_REQUIRED_LINK_OPTIONS ${options})
    check_cxx_source_compiles("int main() {}" LINKER_${name})
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
    if(LINKER_${name})
      add_link_options(${options})
      break()
    endif()
  endforeach()
endif()
