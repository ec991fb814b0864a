/**
 * A machine in QEMU without a boot from the network: its card has no option ROM. Its BMC (`redfish.ts`) has virtual media, from
 * which the machine boots once, and fetches an inserted image in parts, as most BMCs do.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, createWriteStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIB } from '../../../engine/vocabulary/units.ts';
import { folder } from '../ava/folder.ts';
import type { Scope } from '../ava/scope.ts';
import { killIfThere } from '../faults/child.ts';
import { HOST, microkernel, noMachine, OVMF } from './machine.ts';
import { Maintained } from './maintenance-service.ts';
import { type RedfishService, startRedfish } from './redfish.ts';

/** The image that `.ci/run` builds beside the microkernel. */
export const ISO = join(microkernel, 'microkernel.iso');

export const noMediaMachine =
  noMachine ??
  (existsSync(ISO)
    ? undefined
    : `${ISO} is missing; fixtures/microkernel/build.sh builds it (Debian: grub-pc-bin, grub-efi-amd64-bin, xorriso)`);

const RANGE = 8 * MIB;

export class MediaMachine {
  readonly mac = '52:54:00:aa:00:02';
  readonly media: Maintained;
  readonly bmc: RedfishService;
  readonly #home: string;
  readonly #isUefi: boolean;
  #child: ChildProcess | undefined;
  #work: Promise<void> = Promise.resolve();
  #bootsCd = false;

  constructor(home: string, bmc: RedfishService, media: Maintained, isUefi: boolean) {
    this.#home = home;
    this.#isUefi = isUefi;
    this.bmc = bmc;
    this.media = media;
    this.bmc.done.each((change) => {
      this.#work = this.#work.then(() => this.#change(change));
      this.#work.catch(() => {});
    });
  }

  /** Resolves when the last change of power has been made. @throws Error of a change that failed */
  settled(): Promise<void> {
    return this.#work;
  }

  get console(): string {
    return existsSync(this.#path('console')) ? readFileSync(this.#path('console'), 'latin1') : '';
  }

  /** The frames that its card has sent and received. */
  get frames(): Buffer[] {
    const dump = readFileSync(this.#path('frames'));
    const frames: Buffer[] = [];
    // The format of pcap: a header of 24 bytes, and one of 16 with the length for each frame.
    for (let at = 24; at + 16 <= dump.length; at += 16 + dump.readUInt32LE(at + 8))
      frames.push(dump.subarray(at + 16, at + 16 + dump.readUInt32LE(at + 8)));
    return frames;
  }

  end(): void {
    if (this.#child?.pid !== undefined) killIfThere(this.#child.pid);
  }

  async #change(change: string): Promise<void> {
    if (change.startsWith('{')) this.#bootsCd = JSON.parse(change).Boot?.BootSourceOverrideTarget === 'Cd';
    if (!change.startsWith('reset ')) return;
    if (this.#child !== undefined) {
      const ended = once(this.#child, 'exit');
      this.end();
      await ended;
      this.#child = undefined;
    }
    if (change === 'reset ForceOff') return;
    const disc = this.#bootsCd && this.media.media !== null ? await this.#fetched(this.media.media) : undefined;
    this.#bootsCd = false;
    this.#child = spawn('qemu-system-x86_64', this.#words(disc), { cwd: this.#home, stdio: 'ignore' });
  }

  async #fetched(image: string): Promise<string> {
    const url = image.replace(HOST, '127.0.0.1');
    const size = Number((await fetch(url, { method: 'HEAD' })).headers.get('content-length'));
    const file = createWriteStream(this.#path('disc.iso'));
    for (let start = 0; start < size; start += RANGE) {
      const range = `bytes=${start}-${Math.min(start + RANGE, size) - 1}`;
      const answer = await fetch(url, { headers: { range } });
      if (answer.status !== 206) throw new Error(`${range} of the image: HTTP ${answer.status}`);
      file.write(Buffer.from(await answer.arrayBuffer()));
    }
    file.end();
    await once(file, 'finish');
    return 'disc.iso';
  }

  #words(disc: string | undefined): string[] {
    const firmware = this.#isUefi
      ? [`if=pflash,format=raw,readonly=on,file=${OVMF[0]}`, 'if=pflash,format=raw,file=settings']
      : [];
    return [
      ...'-machine q35 -accel tcg -cpu qemu64 -m 1024 -display none -monitor none -serial file:console'.split(' '),
      ...firmware.flatMap((drive) => ['-drive', drive]),
      ...['-netdev', 'user,id=lan', '-device', `e1000,netdev=lan,mac=${this.mac},romfile=`],
      ...['-object', 'filter-dump,id=dump,netdev=lan,file=frames'],
      ...[
        '-drive',
        'file=disk,if=none,id=disk,format=raw',
        '-device',
        'ide-hd,drive=disk,bus=ide.0,serial=ATA-0001,bootindex=2',
      ],
      ...(disc === undefined ? [] : ['-drive', `file=${disc},if=none,id=cd,media=cdrom,readonly=on`]),
      ...(disc === undefined ? [] : ['-device', 'ide-cd,drive=cd,bus=ide.1,bootindex=1']),
      ...['-smbios', 'type=1,manufacturer=Example,product=Box,serial=SN-2'],
    ];
  }

  #path(name: string): string {
    return join(this.#home, name);
  }
}

/** Initially off. Destroyed when the test ends. */
export async function openMediaMachine(t: Scope, { uefi = false } = {}): Promise<MediaMachine> {
  const home = folder(t);
  writeFileSync(join(home, 'disk'), Buffer.alloc(4 * MIB));
  if (uefi) copyFileSync(OVMF[1], join(home, 'settings'));
  const media = new Maintained();
  const bmc = await startRedfish(t, media.options());
  const machine = new MediaMachine(home, bmc, media, uefi);
  const end = () => machine.end();
  process.once('exit', end);
  t.teardown(() => {
    process.off('exit', end);
    end();
  });
  return machine;
}
