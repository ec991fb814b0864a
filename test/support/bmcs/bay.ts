/**
 * A node's drives as files: everything that an agent needs to find, read and erase them with the real tools. `lsblk` is
 * a script that lists these drives; programs on the PATH of the bay take precedence over those of the machine.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { folder } from '../ava/folder.ts';
import { onPath } from '../ava/on-path.ts';
import type { Scope } from '../ava/scope.ts';
import { killIfThere } from '../faults/child.ts';

export interface BayDrive {
  name: string;
  wwn: string;
  /** Bytes. */
  size?: number;
  /** Values as lsblk prints them, in addition to WWN. */
  facts?: Record<string, string>;
}

const usual = { VENDOR: 'ATA', MODEL: 'Example Disk 1', REV: '1.0', TRAN: 'sata', ROTA: '1', HCTL: '0:0:0:0' };

export class Bay {
  readonly home: string;
  readonly #devices: string;

  constructor(t: Scope, drives: readonly BayDrive[]) {
    this.home = folder(t);
    this.#devices = join(this.home, 'dev');
    for (const name of ['dev', 'facts', 'bin', 'jobs']) mkdirSync(join(this.home, name));
    this.power();
    this.program('lsblk', lsblk);
    for (const drive of drives) this.plug(drive);
    t.teardown(() => this.stop());
  }

  plug({ name, wwn, size = 1024 * 1024, facts = {} }: BayDrive): void {
    writeFileSync(this.drive(name), randomBytes(size));
    for (const [key, value] of Object.entries({ ...usual, SERIAL: `S-${wwn}`, ...facts, WWN: `0x${wwn}` })) {
      writeFileSync(join(this.home, 'facts', `${name}.${key}`), `${value}\n`);
    }
  }

  /** lsblk lacks some values, which the kernel has instead, as in a microkernel without udev. */
  withoutUdev(): void {
    for (const name of readdirSync(this.#devices)) {
      const [wwn, serial] = ['WWN', 'SERIAL'].map((key) => {
        const fact = join(this.home, 'facts', `${name}.${key}`);
        const said = readFileSync(fact, 'utf8').trim();
        rmSync(fact);
        return said;
      }) as [string, string];
      const device = join(this.home, 'sys/block', name, 'device');
      mkdirSync(device, { recursive: true });
      writeFileSync(join(device, 'wwid'), `naa.${wwn.slice(2)}\n`);
      // Unit Serial Number, after the four bytes of the page header (SPC-4, 7.8.15).
      writeFileSync(join(device, 'vpd_pg80'), `\0\x80\0\x14${serial.padEnd(20)}`);
    }
  }

  /** Swaps the names of two drives, as may happen at a reboot. */
  swap(one: string, other: string): void {
    const move = (dir: string, from: string, to: string) => {
      for (const file of readdirSync(dir).filter((each) => each === from || each.startsWith(`${from}.`))) {
        renameSync(join(dir, file), join(dir, to + file.slice(from.length)));
      }
    };
    for (const dir of [this.#devices, join(this.home, 'facts')]) {
      move(dir, one, 'between');
      move(dir, other, one);
      move(dir, 'between', other);
    }
  }

  unplug(name: string): void {
    rmSync(this.drive(name));
  }

  /** Returns the file of a drive. */
  drive(name: string): string {
    return join(this.#devices, name);
  }

  read(name: string): Buffer {
    return readFileSync(this.drive(name));
  }

  /** Returns the driveId catalog of the last discovery. */
  catalog(drives: readonly BayDrive[]): Record<string, unknown> {
    return drives.map(({ name, wwn }, identifier) => ({
      devName: name,
      identifier,
      scsiId: '',
      linuxWwid: '',
      esxiWwid: `naa.${wwn}`,
      virtualDisk: '',
    })) as unknown as Record<string, unknown>;
  }

  /** Reboots the node: its memory is lost. */
  power(): void {
    writeFileSync(join(this.home, 'boot-id'), `${randomUUID()}\n`);
  }

  program(name: string, text: string): void {
    const file = join(this.home, 'bin', name);
    writeFileSync(file, `#!/bin/sh\nbay='${this.home}'\n${text}`);
    chmodSync(file, 0o755);
  }

  /**
   * Wraps the program: before it runs on a drive, its call is written to the ledger, and it waits while the file `hold`
   * exists.
   */
  counted(name: string): void {
    const waits = 'while [ -e "$bay/hold" ]; do sleep 0.05; done';
    const counts = `if [ $# -gt 1 ]; then\n  echo "${name} $*" >>"$bay/ledger"\n  ${waits}\nfi`;
    this.program(name, `${counts}\nexec '${onPath(name)}' "$@"\n`);
  }

  /** Creates an empty file that programs of the bay check for. */
  mark(name: string): void {
    writeFileSync(join(this.home, name), '');
  }

  hold(): void {
    this.mark('hold');
  }

  go(): void {
    renameSync(join(this.home, 'hold'), join(this.home, 'held'));
  }

  lines(file = 'ledger'): string[] {
    const path = join(this.home, file);
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  }

  get env(): Record<string, string> {
    return {
      PATH: `${join(this.home, 'bin')}:${process.env.PATH}`,
      NODEWRIGHT_DEVICES: this.#devices,
      NODEWRIGHT_SYS: join(this.home, 'sys'),
      NODEWRIGHT_JOBS: join(this.home, 'jobs'),
      NODEWRIGHT_BOOT_ID: join(this.home, 'boot-id'),
      NODEWRIGHT_POLL: '0.1',
    };
  }

  /** Process ids of jobs that have not ended. */
  get running(): number[] {
    const jobs = join(this.home, 'jobs');
    return readdirSync(jobs).flatMap((job) => {
      const file = join(jobs, job, 'pid');
      const pid = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
      // Empty for a process that has ended and was not reaped.
      const command = pid === '' ? undefined : `/proc/${pid}/cmdline`;
      const isRunning = command !== undefined && existsSync(command) && readFileSync(command, 'utf8').includes(job);
      return isRunning ? [Number(pid)] : [];
    });
  }

  /** Ends the jobs, which are detached from the agent. */
  stop(): void {
    for (const pid of this.running) killIfThere(-pid);
  }
}

const lsblk = `
fields= device=
while [ $# -gt 0 ]; do
  case $1 in
    --output) fields=$2; shift ;;
    --json) echo '{"blockdevices":[]}'; exit ;;
    -*) ;;
    *) device=$(basename "$1") ;;
  esac
  shift
done
if [ "$fields" = NAME,TYPE ]; then
  for drive in "$bay"/dev/*; do echo "$(basename "$drive") disk"; done
  exit
fi
for field in $(echo "$fields" | tr , ' '); do
  cat "$bay/facts/$device.$field" 2>/dev/null || echo
done | paste -s -d ' '
`;
