# Compiler flags of the whole tree. Frame pointers are always on, so that a profile taken later
# does not change what was measured before; LTO is off, so that the seam's indirect calls stay.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
# For sanitizers: -O1 takes GCC 12 nearly twice as long over instrumented code, for tests as fast.
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g1")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_compile_options(-fno-omit-frame-pointer)
if(HOTLAP_SANITIZE)
  # Warnings are judged where what is measured is built: in code as sanitizers instrument it, GCC 12
  # sees overflows of std::string where none are.
  add_compile_options(-Wall -Wextra)
  add_compile_options(-fsanitize=${HOTLAP_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HOTLAP_SANITIZE})
else()
  # Nobody interposes a function of ours, so that one may be inlined within its file.
  add_compile_options(-fno-semantic-interposition -Wall -Wextra -Werror)
endif()
if(HOTLAP_COVERAGE)
  # Unoptimised, since merged and moved code has no lines of its own; atomic, since threads count.
  add_compile_options(-O0 --coverage -fprofile-abs-path -fprofile-update=atomic)
  add_link_options(--coverage)
  add_compile_definitions(HOTLAP_COVERAGE)
endif()
if(HOTLAP_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
find_package(Threads REQUIRED)
