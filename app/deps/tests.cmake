# Tests by place: tests/<folder>/*_test.cpp make <folder>_tests; tests/*_test.cpp join app_tests; tests/support/*.cpp make one library;
# tests/bench/*_bench.cpp, tests/fuzz/*_fuzz.cpp make one program each.
set(tests ${CMAKE_SOURCE_DIR}/tests)

function(tern_test_flags target)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE
    TERN_BINARY="${CMAKE_BINARY_DIR}/tern" TERN_BINARY_DIR="${CMAKE_BINARY_DIR}" TERN_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE tern_flags)
endfunction()

# The support library names no tern library, so that the tests of one folder do not wait for the folders above it to build.
file(GLOB support CONFIGURE_DEPENDS ${tests}/support/*.cpp)
list(FILTER support EXCLUDE REGEX "_main\\.cpp$")
if(NOT support)
  set(support ${CMAKE_BINARY_DIR}/empty.cpp)
endif()
add_library(tern_test_support STATIC ${support})
tern_test_flags(tern_test_support)
target_link_libraries(tern_test_support PRIVATE dep_catch2 dep_vterm dep_httplib dep_json dep_ftxui)

function(tern_tests folder)
  file(GLOB sources CONFIGURE_DEPENDS ${tests}/${folder}/*_test.cpp)
  if(folder STREQUAL app)
    file(GLOB top CONFIGURE_DEPENDS ${tests}/*_test.cpp)
    list(APPEND sources ${top})
  endif()
  if(NOT sources)
    return()
  endif()
  add_executable(${folder}_tests ${sources})
  tern_test_flags(${folder}_tests)
  target_link_libraries(${folder}_tests PRIVATE tern_test_support tern_${folder} dep_catch2 ${ARGN})
  add_test(NAME ${folder} COMMAND ${folder}_tests)
  set_tests_properties(${folder} PROPERTIES TIMEOUT 300)
  if(TARGET tern AND folder MATCHES "^(app|ui|agent|tools)$")
    add_dependencies(${folder}_tests tern)
  endif()
endfunction()

tern_tests(compression)
tern_tests(tools dep_json)
tern_tests(agent dep_json dep_httplib)
tern_tests(ui dep_ftxui dep_json)
tern_tests(app dep_json dep_ftxui dep_httplib)

# tern_program(NAME SOURCE LIBRARIES…): a helper that runs by hand, too
function(tern_program name source)
  if(EXISTS ${source})
    add_executable(${name} ${source})
    tern_test_flags(${name})
    target_link_libraries(${name} PRIVATE tern_test_support ${ARGN})
  endif()
endfunction()

tern_program(fake_llm ${tests}/support/fake_llm_main.cpp tern_agent dep_json dep_httplib)
tern_program(replay ${tests}/bench/replay.cpp tern_agent dep_json)

file(GLOB benches CONFIGURE_DEPENDS ${tests}/bench/*_bench.cpp)
foreach(source ${benches})
  get_filename_component(name ${source} NAME_WE)
  tern_program(${name} ${source} tern_app dep_json dep_ftxui dep_httplib)
endforeach()
