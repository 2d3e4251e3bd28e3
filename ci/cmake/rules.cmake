# The rules by which every folder declares what it builds:
#   hotlap_library(NAME SOURCES... [DEPS LIBS...])
#   hotlap_binary(NAME SOURCES... [DEPS LIBS...])      into build/<preset>/bin; those that are named
#       hotlap or hotlap-... are installed, but for hotlap-...-planted, which tests alone want
#   hotlap_test(NAME SOURCES... [DEPS LIBS...])        GoogleTest, one ctest entry per binary
#   hotlap_test_program(NAME SOURCES... [DEPS LIBS...])     without an entry: its folder adds them
#   hotlap_fuzzer(NAME SOURCES... [SEEDS FOLDER] [DEPS LIBS...])
#       libFuzzer target, with HOTLAP_FUZZ only; its seeds are in FOLDER, when not given in
#       corpus/NAME, or written by the build into fuzz/seeds/NAME less its _fuzz. The target
#       `fuzzers` is all of them.
# Includes are written from the top of the tree: #include "harness/load/histogram.h".
function(_hotlap_common target)
  set_property(GLOBAL APPEND PROPERTY HOTLAP_TARGETS ${target})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  if(ARG_DEPS)
    target_link_libraries(${target} PUBLIC ${ARG_DEPS})
  endif()
endfunction()

function(hotlap_library name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  _hotlap_common(${name})
endfunction()

function(hotlap_binary name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  _hotlap_common(${name})
  if(name MATCHES "^hotlap(-|$)" AND NOT name MATCHES "-planted$")
    install(TARGETS ${name} RUNTIME DESTINATION bin)
  endif()
endfunction()

function(hotlap_test_program name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test)
  _hotlap_common(${name})
  find_package(GTest REQUIRED)
  target_link_libraries(${name} PRIVATE GTest::gmock GTest::gtest_main)
endfunction()

function(hotlap_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "DEPS" ${ARGN})
  hotlap_test_program(${name} ${ARG_UNPARSED_ARGUMENTS} DEPS ${ARG_DEPS})
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
endfunction()

function(hotlap_fuzzer name)
  if(NOT HOTLAP_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "SEEDS" "DEPS" ${ARGN})
  if(NOT ARG_SEEDS)
    set(ARG_SEEDS corpus/${name})
  endif()
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  _hotlap_common(${name})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)
  endif()
  add_dependencies(fuzzers ${name})
  # ci/test finds the fuzzers, and the seeds of each, by these files.
  get_filename_component(seeds ${ARG_SEEDS} ABSOLUTE)
  file(WRITE ${CMAKE_BINARY_DIR}/fuzz/${name}.seeds "${seeds}\n")
endfunction()
