# shellcheck shell=sh disable=SC2154
# Prints the reports of the tests, each below a line `== <test>`. Before it: run and tests.

for each in $tests; do
  echo "== $each"
  place=$jobs/$run-$each
  if [ -e "$place/exit" ]; then cat "$place/exit"
  elif [ -d "$place" ]; then echo 'state died'
  else echo 'state absent'; fi
done
