# Writes OUTPUT with the git revision of the source, whether it is dirty, and how it was compiled;
# touched only when one of them changes, so that nothing is rebuilt for it. Run at each build.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
                OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no -- .
                        :!results :!*.md
                OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(changes STREQUAL "")
  set(dirty false)
else()
  set(dirty true)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
// What this build was made from; generated.
#pragma once
namespace hotlap::agent {
inline constexpr char kGitRevision[] = "@revision@";
inline constexpr bool kGitDirty = @dirty@;
inline constexpr char kCompiler[] = "@COMPILER@";
inline constexpr char kCompilerFlags[] = "@FLAGS@";
}  // namespace hotlap::agent
]] @ONLY)
