#!/bin/sh
# Adds the session of a hook to the store: passes the hook's JSON on standard input to `PROGRAM... index --hook`.
#
#     index-session.sh PROGRAM [ARGUMENT...] < JSON
#
# Returns at once, because the program runs in the background. Whatever happens to it, the agent gets no output and the
# exit status 0. hook.log in the data folder has what the last one printed, if it can be written.
exec >/dev/null 2>&1
trap 'exit 0' EXIT

# Passed as 3, since standard input of a process in the background is empty.
exec 3<&0
{
  umask 077
  case $XDG_DATA_HOME in
    /*) folder=$XDG_DATA_HOME/opencode-transcripts ;;
    *) folder=$HOME/.local/share/opencode-transcripts ;;
  esac
  mkdir -p "$folder"
  # Not `:`, whose failure would end the shell.
  if true >"$folder/hook.log"; then exec >"$folder/hook.log" 2>&1; fi
  exec "$@" index --hook
} <&3 3<&- &
exit 0
