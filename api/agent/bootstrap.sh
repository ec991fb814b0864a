# nodewright's agent for a plain Linux. It asks the daemon for commands, runs one at a time, and says what came of it.
# Needs sh, base64, head, tail, tr, wc, mktemp, and curl or wget; ends commands that take too long where there is timeout.
# The lines before this one say where the daemon is (NODEWRIGHT_API), which node this is (NODEWRIGHT_NODE) and, where the
# daemon has an authority of its own, whose certificates it is known by (NODEWRIGHT_CA, PEM). NODEWRIGHT_KEY is the key that
# this script was fetched with; without one, the key on the kernel's command line (nodewright.key=) is used.
#
# A command may tell how far it is: the last line of the file $NODEWRIGHT_PROGRESS, `<value> <maximum> <description>`.
# One that listens finds the file $NODEWRIGHT_CANCELLED there once it is cancelled, and ends by itself. Where a task of the
# workflow waits for a notification, $NODEWRIGHT_CALLBACK is the URL that completes it, by GET or POST, however often it is called.

set -u

api=${NODEWRIGHT_API:?is missing}
node=${NODEWRIGHT_NODE:?is missing}
# Seconds: the daemon answers by then, if it answers at all.
patience=45
poll=25
pause=${NODEWRIGHT_PAUSE:-5}
stderr_limit=4096
# A file, when there is one to be trusted.
ca=
key=${NODEWRIGHT_KEY:-}
if [ -z "$key" ]; then
  key=$(tr ' ' '\n' </proc/cmdline 2>/dev/null | sed -n 's/^nodewright\.key=//p' | tail -n 1)
fi
# It stands in a header.
case $key in *[!A-Za-z0-9._-]*) key= ;; esac

# limited SECONDS PROGRAM ARGUMENT... There are BusyBoxes whose timeout knows no -k, and older ones with options of their own.
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

# request METHOD URL ANSWER [BODY]: sets $status, 000 when there was no answer
if command -v curl >/dev/null 2>&1; then
  request() {
    status=$(curl -s ${ca:+--cacert "$ca"} ${key:+-H "x-nodewright-key: $key"} -m "$patience" -o "$3" -w '%{http_code}' -X "$1" \
      ${4:+-H 'content-type: application/json' --data-binary "@$4"} "$2") || status=000
  }
elif command -v wget >/dev/null 2>&1; then
  # GNU's asks twenty times by itself; BusyBox's has no such option, and maybe none for the time.
  once=
  case $(wget --version 2>&1) in GNU*) once="-t 1 -T $patience" ;; esac
  request() {
    # -S: the status stands in what wget says, also when it refuses to go on.
    # shellcheck disable=SC2086 # words, or none
    limited "$patience" wget -q -S $once ${ca:+--ca-certificate="$ca"} ${key:+--header "x-nodewright-key: $key"} -O "$3" \
      ${4:+--header 'content-type: application/json' --post-file "$4"} "$2" 2>"$headers" || :
    status=$(sed -n 's/^ *HTTP\/[0-9.]* \([0-9][0-9][0-9]\).*/\1/p' "$headers" | tail -n 1)
    status=${status:-000}
  }
else
  echo 'nodewright: neither curl nor wget is here; install one' >&2
  exit 1
fi

# A name tells one life of an agent from the next. Who does not know whether an answer got lost takes another, and what
# it may have been handed counts as begun.
rename() {
  name=$(cat /proc/sys/kernel/random/uuid 2>/dev/null) || name="$$-$(date +%s)"
}

encoded() { base64 | tr -d '\n'; }

size() { wc -c <"$1" | tr -d ' '; }

# Tells the daemon when the last line has changed.
report_progress() {
  line=$(tail -n 1 "$work/progress")
  if [ -z "$line" ] || [ "$line" = "$told" ]; then return; fi
  told=$line
  value=${line%% *}
  rest=${line#* }
  maximum=${rest%% *}
  case $value$maximum in *[!0-9.]* | '') return ;; esac
  description=
  if [ "$rest" != "$maximum" ]; then description=${rest#* }; fi
  # Nothing but what a text in JSON may hold as it stands.
  description=$(printf %s "$description" | tr -cd '[:alnum:] .,:;()%/_-' | head -c 200)
  printf '{"taskId":"%s","value":%s,"maximum":%s,"description":"%s"}' \
    "$NW_TASK" "$value" "$maximum" "$description" >"$work/said"
  request POST "$api/notification/progress" "$work/ignored" "$work/said"
}

# Runs beside the command. Ends by itself soon after it: a signal that comes while a shell is being made may get lost.
attend() {
  told=
  headers=$work/headers.beside
  while sleep "$pause" && [ -e "$work/$NW_ID" ]; do
    report_progress
    if [ -z "$NW_LISTENS" ]; then continue; fi
    request GET "$api/tasks/$node/$NW_ID" "$work/ignored"
    if [ "$status" = 410 ]; then : >"$work/cancelled.$NW_ID"; fi
  done
}

# report CODE: what the command gave, as JSON
report() {
  printf '{"identifier":"%s","tasks":[{"id":"%s","exitCode":%d,"encoding":"base64","stdoutBytes":%d,"stdout":"' \
    "$node" "$NW_ID" "$1" "$(size "$work/stdout")"
  head -c "$NW_LIMIT" "$work/stdout" | encoded
  printf '","stderr":"'
  tail -c "$stderr_limit" "$work/stderr" | encoded
  printf '"}]}'
}

# Until the daemon has it: it is not done again because the daemon was away. What the daemon refuses it would refuse again.
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
  # An earlier daemon does not set it.
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
  # The second by the id: whoever still asks for an earlier command says nothing of this one.
  NODEWRIGHT_PROGRESS="$work/progress" NODEWRIGHT_CANCELLED="$work/cancelled.$NW_ID" \
    NODEWRIGHT_CALLBACK="$NW_CALLBACK" \
    limited "$NW_TIMEOUT" sh "$work/command" >"$work/stdout" 2>"$work/stderr" </dev/null || code=$?
  # What took too long ended with 124; BusyBox's timeout gives the signal instead.
  if [ "$code" -eq 143 ] && [ $(($(date +%s) - began)) -ge "$NW_TIMEOUT" ]; then code=124; fi
  rm -f "$work/$NW_ID" "$work/cancelled.$NW_ID"
  if hand_in "$code"; then return; fi
  # So that nobody waits for it.
  echo "the daemon refused the result of this command with $status" >"$work/stderr"
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
      # Nothing was handed out, so this life of the agent goes on.
      429) sleep "$pause" ;;
      403)
        echo "nodewright: the daemon refuses to speak to this agent about the node $node: $(head -c 500 "$work/task")" >&2
        sleep "$pause"
        ;;
      404)
        echo "nodewright: the daemon does not know the node $node (any more)" >&2
        exit 1
        ;;
      *)
        rename
        sleep "$pause"
        ;;
    esac
  done
}

# Last, so that half a script does nothing.
main
