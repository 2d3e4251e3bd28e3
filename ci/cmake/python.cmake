# The interpreter for analysis: the first that can import pandas, matplotlib and scipy. The first
# python3 on the PATH often cannot, so that each candidate is tried rather than assumed.
set(HOTLAP_PYTHON "" CACHE FILEPATH "Python interpreter that has pandas, matplotlib and scipy")
if(NOT HOTLAP_PYTHON)
  find_program(_hotlap_path_python NAMES python3 NO_CACHE)
  foreach(candidate ${_hotlap_path_python} /usr/bin/python3 /usr/local/bin/python3)
    execute_process(COMMAND ${candidate} -c "import pandas, matplotlib, scipy"
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      set(HOTLAP_PYTHON ${candidate} CACHE FILEPATH "" FORCE)
      break()
    endif()
  endforeach()
endif()
if(NOT HOTLAP_PYTHON AND NOT HOTLAP_CORE_ONLY)
  message(FATAL_ERROR "no Python interpreter with pandas, matplotlib and scipy was found: "
                      "run ci/setup, or give one with -DHOTLAP_PYTHON=/path/to/python3")
endif()
