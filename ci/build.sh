# What ci/demo and ci/test share when they build; sourced from the top of the tree.

# ccache makes a second clean build fast. It is used where it is installed and never asked for.
if [[ -z ${CMAKE_CXX_COMPILER_LAUNCHER:-} ]] && command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
mkdir -p build

# quietly LOG COMMAND...: runs the command with its output in LOG, which is shown if it fails.
quietly() {
  local log=$1
  shift
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 200 "$log" >&2
    printf '%s: failed: %s (all of its output: %s)\n' "$0" "$*" "$log" >&2
    return 1
  fi
}
