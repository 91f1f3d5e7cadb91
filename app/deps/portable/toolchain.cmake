# Builds for TERN_PORTABLE (x86_64 or aarch64) against glibc 2.31 and static libraries, in the tree that `sysroot` made: app/setup
# --portable ARCH. The C++ library of this machine's compiler is linked in; old_glibc.c holds what it wants of a newer glibc.
set(CMAKE_SYSTEM_NAME Linux)
foreach(name TERN_PORTABLE TERN_SYSROOT)  # a project that only tries a compiler out reads this file, too, and knows the environment
  if(${name})
    set(ENV{${name}} ${${name}})
  else()
    set(${name} $ENV{${name}})
  endif()
endforeach()
if(NOT TERN_SYSROOT)
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/../../setup --print-portable ${TERN_PORTABLE}
                  OUTPUT_VARIABLE TERN_SYSROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(APPEND TERN_SYSROOT .sysroot)
  set(ENV{TERN_SYSROOT} ${TERN_SYSROOT})
endif()
set(CMAKE_SYSTEM_PROCESSOR ${TERN_PORTABLE})
set(triple ${TERN_PORTABLE}-linux-gnu)
foreach(language C CXX)
  set(compiler_C gcc)
  set(compiler_CXX g++)
  find_program(CMAKE_${language}_COMPILER NAMES ${triple}-${compiler_${language}} REQUIRED)
  # -B and -L come before this machine's own folders, which a compiler looks into whatever its sysroot
  set(CMAKE_${language}_FLAGS_INIT "-B${TERN_SYSROOT}/usr/lib/${triple}")
endforeach()
set(CMAKE_SYSROOT ${TERN_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE ${triple})
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-L${TERN_SYSROOT}/usr/lib/${triple} -L${TERN_SYSROOT}/lib/${triple} -static-libstdc++ -static-libgcc")
set(CMAKE_FIND_ROOT_PATH ${TERN_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
