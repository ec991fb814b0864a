# nodewright's agent for a plain Linux. It gets commands from the daemon, runs one at a time, and reports the results.
# Requires sh, base64, head, tail, tr, wc, mktemp, and curl or wget; command timeouts need the program timeout.
# The preceding lines set the daemon's URL (NODEWRIGHT_API), the id of this node (NODEWRIGHT_NODE) and, where the daemon
# has its own certificate authority, that authority (NODEWRIGHT_CA, PEM). NODEWRIGHT_KEY is the key that
# this script was fetched with; without one, the key on the kernel's command line (nodewright.key=) is used.
#
# A command may report progress as the last line of the file $NODEWRIGHT_PROGRESS, `<value> <maximum> <description>`.
# For a listening command the file $NODEWRIGHT_CANCELLED appears when it is cancelled; it must then end. If a task of the
# workflow waits for a notification, $NODEWRIGHT_CALLBACK is the URL that completes it, by GET or POST; repeats are harmless.

set -u

api=${NODEWRIGHT_API:?is missing}
node=${NODEWRIGHT_NODE:?is missing}
# Request timeout in seconds; longer than the daemon takes to answer.
patience=45
poll=25
pause=${NODEWRIGHT_PAUSE:-5}
stderr_limit=4096
# The file of the authority, if there is one.
ca=
key=${NODEWRIGHT_KEY:-}
if [ -z "$key" ]; then
  key=$(tr ' ' '\n' </proc/cmdline 2>/dev/null | sed -n 's/^nodewright\.key=//p' | tail -n 1)
fi
# Sent as a header, so other characters are not allowed.
case $key in *[!A-Za-z0-9._-]*) key= ;; esac

# limited SECONDS PROGRAM ARGUMENT... The timeout of some BusyBox versions has no -k, and older ones have other options.
if timeout -k 10 10 true 2>/dev/null; then
  limited() { timeout -k 10 "$@"; }
elif timeout 10 true 2>/dev/null; then
  limited() { timeout "$@"; }
else
  limited() {
    shift
    "$@"
  }
fi

# request METHOD URL ANSWER [BODY]: sets $status, 000 if there was no answer
if command -v curl >/dev/null 2>&1; then
  request() {
    status=$(curl -s ${ca:+--cacert "$ca"} ${key:+-H "x-nodewright-key: $key"} -m "$patience" -o "$3" -w '%{http_code}' -X "$1" \
      ${4:+-H 'content-type: application/json' --data-binary "@$4"} "$2") || status=000
  }
elif command -v wget >/dev/null 2>&1; then
  # GNU wget retries twenty times by default; BusyBox wget has no such option, and possibly no timeout.
  once=
  case $(wget --version 2>&1) in GNU*) once="-t 1 -T $patience" ;; esac
  request() {
    # -S: wget prints the status, even when it stops with an error.
    # shellcheck disable=SC2086 # words, or none
    limited "$patience" wget -q -S $once ${ca:+--ca-certificate="$ca"} ${key:+--header "x-nodewright-key: $key"} -O "$3" \
      ${4:+--header 'content-type: application/json' --post-file "$4"} "$2" 2>"$headers" || :
    status=$(sed -n 's/^ *HTTP\/[0-9.]* \([0-9][0-9][0-9]\).*/\1/p' "$headers" | tail -n 1)
    status=${status:-000}
  }
else
  echo 'nodewright: found neither curl nor wget; install one' >&2
  exit 1
fi

# The name identifies one run of the agent. After a lost answer the agent takes another name, and a command that may have
# been delivered to the old name counts as started.
rename() {
  name=$(cat /proc/sys/kernel/random/uuid 2>/dev/null) || name="$$-$(date +%s)"
}

encoded() { base64 | tr -d '\n'; }

size() { wc -c <"$1" | tr -d ' '; }

# Reports progress when the last line has changed.
report_progress() {
  line=$(tail -n 1 "$work/progress")
  if [ -z "$line" ] || [ "$line" = "$reported" ]; then return; fi
  reported=$line
  value=${line%% *}
  rest=${line#* }
  maximum=${rest%% *}
  case $value$maximum in *[!0-9.]* | '') return ;; esac
  description=
  if [ "$rest" != "$maximum" ]; then description=${rest#* }; fi
  # Only characters that need no escaping in JSON.
  description=$(printf %s "$description" | tr -cd '[:alnum:] .,:;()%/_-' | head -c 200)
  printf '{"taskId":"%s","value":%s,"maximum":%s,"description":"%s"}' \
    "$NW_TASK" "$value" "$maximum" "$description" >"$work/said"
  request POST "$api/notification/progress" "$work/ignored" "$work/said"
}

# Runs concurrently with the command and ends soon after it. It is not killed: a signal during the start of a shell may be
# lost.
attend() {
  reported=
  headers=$work/headers.beside
  while sleep "$pause" && [ -e "$work/$NW_ID" ]; do
    report_progress
    if [ -z "$NW_LISTENS" ]; then continue; fi
    request GET "$api/tasks/$node/$NW_ID" "$work/ignored"
    if [ "$status" = 410 ]; then : >"$work/cancelled.$NW_ID"; fi
  done
}

# report CODE: prints the result of the command as JSON
report() {
  printf '{"identifier":"%s","tasks":[{"id":"%s","exitCode":%d,"encoding":"base64","stdoutBytes":%d,"stdout":"' \
    "$node" "$NW_ID" "$1" "$(size "$work/stdout")"
  head -c "$NW_LIMIT" "$work/stdout" | encoded
  printf '","stderr":"'
  tail -c "$stderr_limit" "$work/stderr" | encoded
  printf '"}]}'
}

# Retries until the daemon has the result, so that an outage does not repeat the command. A rejection is final.
hand_in() {
  report "$1" >"$work/result"
  while :; do
    request POST "$api/tasks/$node" "$work/ignored" "$work/result"
    case $status in
      2*) return 0 ;;
      408 | 429) ;;
      4*) return 1 ;;
    esac
    sleep "$pause"
  done
}

run() {
  # An older daemon does not set it.
  NW_CALLBACK=
  # Sets NW_ID, NW_TASK, NW_TIMEOUT, NW_LIMIT, NW_LISTENS, NW_CANCELLED, NW_CALLBACK and
  # NW_COMMAND.
  # shellcheck source=/dev/null
  . "$work/task"
  printf '%s\n' "$NW_COMMAND" >"$work/command"
  : >"$work/progress"
  : >"$work/$NW_ID"
  if [ -n "$NW_CANCELLED" ]; then : >"$work/cancelled.$NW_ID"; fi
  attend >/dev/null 2>&1 &
  code=0
  began=$(date +%s)
  # The cancel file is named by the id, so that a late check for an earlier command cannot cancel this one.
  NODEWRIGHT_PROGRESS="$work/progress" NODEWRIGHT_CANCELLED="$work/cancelled.$NW_ID" \
    NODEWRIGHT_CALLBACK="$NW_CALLBACK" \
    limited "$NW_TIMEOUT" sh "$work/command" >"$work/stdout" 2>"$work/stderr" </dev/null || code=$?
  # The exit code of a timeout is 124; BusyBox's timeout returns the signal instead.
  if [ "$code" -eq 143 ] && [ $(($(date +%s) - began)) -ge "$NW_TIMEOUT" ]; then code=124; fi
  rm -f "$work/$NW_ID" "$work/cancelled.$NW_ID"
  if hand_in "$code"; then return; fi
  # Report the failure, so that the workflow does not wait for the result.
  echo "the daemon rejected the result of this command with $status" >"$work/stderr"
  : >"$work/stdout"
  hand_in 125 || :
}

main() {
  work=$(mktemp -d) || exit 1
  headers=$work/headers
  if [ -n "$NODEWRIGHT_CA" ]; then
    ca=$work/ca.pem
    printf '%s\n' "$NODEWRIGHT_CA" >"$ca"
  fi
  trap 'rm -rf "$work"' EXIT
  trap 'exit 0' HUP INT TERM
  rename
  while :; do
    request GET "$api/tasks/$node?agent=$name&wait=$poll&format=sh" "$work/task"
    case $status in
      200) run ;;
      204) ;;
      # No command was delivered, so the agent keeps its name.
      429) sleep "$pause" ;;
      403)
        echo "nodewright: the daemon rejects requests of this agent for the node $node: $(head -c 500 "$work/task")" >&2
        sleep "$pause"
        ;;
      404)
        echo "nodewright: the daemon has no node $node; the agent ends" >&2
        exit 1
        ;;
      *)
        rename
        sleep "$pause"
        ;;
    esac
  done
}

# Last, so that an incomplete script does nothing.
main
