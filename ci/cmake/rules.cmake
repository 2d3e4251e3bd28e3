# The rules by which every folder declares what it builds:
#   hotlap_library(NAME SOURCES... [DEPS LIBS...])
#   hotlap_binary(NAME SOURCES... [DEPS LIBS...])      into build/<preset>/bin; those that are named
#       hotlap or hotlap-... are installed, but for hotlap-...-planted, which tests alone want
#   hotlap_test(NAME SOURCES... [SHARDS N] [TIMEOUT SECONDS] [PRECOMPILED TARGET] [DEPS LIBS...])
#       GoogleTest, one ctest entry per binary; with SHARDS its tests are dealt to N entries
#   hotlap_test_headers(NAME HEADERS... [DEPS LIBS...])
#       headers that are slow to read, compiled once for the tests that name it as PRECOMPILED
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

# What is tested is built as it is measured; the tests themselves need no optimisation, and compile
# in two thirds of the time without it. What most of them include is compiled once. (A program, not
# a library, owns those headers, as position-independent code of the two differs.)
function(_hotlap_test_target target)
  find_package(GTest REQUIRED)
  target_link_libraries(${target} PRIVATE GTest::gmock GTest::gtest_main)
  target_compile_options(${target} PRIVATE -pthread)  # as gRPC asks: with headers, all or none
  if(NOT HOTLAP_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

set(_hotlap_test_headers
  <gmock/gmock.h> <gtest/gtest.h> <algorithm> <chrono> <filesystem> <functional> <map> <optional>
  <string> <string_view> <thread> <vector>)
function(hotlap_test_headers name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cc CONTENT "")
  add_executable(${name} EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/${name}.cc)
  _hotlap_test_target(${name})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  target_precompile_headers(${name} PRIVATE ${_hotlap_test_headers} ${ARG_UNPARSED_ARGUMENTS})
endfunction()

function(hotlap_test_program name)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "DEPS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test)
  _hotlap_common(${name})
  _hotlap_test_target(${name})
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED hotlap_common_test_headers)
    if(NOT TARGET hotlap_common_test_headers)
      hotlap_test_headers(hotlap_common_test_headers)
    endif()
  endif()
  target_precompile_headers(${name} REUSE_FROM ${ARG_PRECOMPILED})
endfunction()

function(hotlap_test name)
  cmake_parse_arguments(ARG "" "SHARDS;TIMEOUT;PRECOMPILED" "DEPS" ${ARGN})
  hotlap_test_program(${name} ${ARG_UNPARSED_ARGUMENTS} PRECOMPILED ${ARG_PRECOMPILED}
                      DEPS ${ARG_DEPS})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(NOT ARG_SHARDS)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
    return()
  endif()
  math(EXPR last "${ARG_SHARDS} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${name}.${shard} COMMAND ${name})
    set_tests_properties(${name}.${shard} PROPERTIES TIMEOUT ${ARG_TIMEOUT}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${shard}")
  endforeach()
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
