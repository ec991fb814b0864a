/**
 * An `ipmitool` on the PATH of this process that speaks as the real one does of serial over LAN: one session has the port, and
 * ends with its standard input. It knows no other command.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { folder } from '../ava/folder.ts';
import type { Scope } from '../ava/scope.ts';

export interface FakeConsole {
  /** The machine writes to its serial port. */
  write(text: string): void;
  /** The input that the machine has read there. */
  readonly typed: string;
  /** The command lines of ipmitool, oldest first. */
  readonly commands: string[];
}

export function fakeIpmitool(t: Scope): FakeConsole {
  const home = folder(t);
  const file = (name: string) => join(home, name);
  const textIn = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '');
  writeFileSync(file('serial'), '');
  writeFileSync(file('ipmitool'), script(home), { mode: 0o755 });
  const path = process.env.PATH;
  process.env.PATH = `${home}${delimiter}${path}`;
  t.teardown(() => {
    process.env.PATH = path;
  });
  return {
    write: (text) => appendFileSync(file('serial'), text),
    get typed() {
      return textIn('typed');
    },
    get commands() {
      return textIn('commands').split('\n').filter(Boolean);
    },
  };
}

const script = (home: string) => `#!/bin/sh
cd '${home}' || exit 1
echo "$*" >> commands
case "$*" in
*'sol info') echo 'Enabled                         : true' ;;
*'sol deactivate')
  if [ ! -d session ]; then echo 'Info: SOL payload already de-activated' >&2; exit 1; fi
  kill "$(cat session/pid)" ;;
*'sol activate')
  if ! mkdir session 2> /dev/null; then echo 'Info: SOL payload already active on another session' >&2; exit 1; fi
  exec 3<&0
  begin=$(($(wc -c < serial) + 1))
  printf '[SOL Session operational.  Use ^]? for help]\\n'
  tail -c +$begin -f serial & reader=$!
  cat <&3 >> typed & writer=$!
  echo $$ > session/pid
  trap 'code=1; kill $writer' TERM
  code=0
  wait $writer
  kill $reader
  rm -rf session
  exit $code ;;
*) exit 1 ;;
esac
`;
