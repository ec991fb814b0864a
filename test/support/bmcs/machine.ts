/**
 * A machine: QEMU without hardware acceleration, so that it runs anywhere, with a disk, an NVMe drive and a network
 * card whose iPXE requests its boot script from the daemon. A BMC (`ipmi-sim.ts`) controls its power and boot order.
 */
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onPath } from '../ava/on-path.ts';
import type { Scope } from '../ava/scope.ts';
import { killIfThere } from '../faults/child.ts';
import { type IpmiSim, noIpmiSim, startIpmiSim } from './ipmi-sim.ts';

/** The folder into which `.ci/run` builds it (fixtures/microkernel). */
export const microkernel = fileURLToPath(
  new URL('../../../node_modules/.cache/nodewright/microkernel/', import.meta.url),
);
const QEMU = 'qemu-system-x86_64';
/** The host's address, as slirp shows it to the guest. */
export const HOST = '10.0.2.2';

function missing(): string | undefined {
  if (onPath(QEMU) === undefined) return `${QEMU} is not on the PATH (Debian: qemu-system-x86, ipxe-qemu)`;
  if (existsSync(join(microkernel, 'initrd.img'))) return noIpmiSim;
  return `the microkernel is missing; fixtures/microkernel/build.sh ${microkernel} builds it`;
}
export const noMachine = missing();

/** Little, because the machine erases and reads each of them. */
const BYTES = 4 * 1024 * 1024;

/** Firmware of UEFI, with its settings; Debian's package ovmf. */
export const OVMF = ['/usr/share/OVMF/OVMF_CODE_4M.fd', '/usr/share/OVMF/OVMF_VARS_4M.fd'] as const;

export interface Hardware {
  /** Bytes of its disk; those after the first few MiB are zero. */
  disk?: number;
  /** TCP port of the host that reaches its SSH server. */
  sshPort?: number;
  uefi?: boolean;
  /** DHCP names a file of TFTP that continues to the daemon, instead of the URL. */
  tftp?: boolean;
}

export interface Machine {
  readonly bmc: IpmiSim;
  readonly mac: string;
  /** The files that its daemon must serve as `common/vmlinuz` and `common/initrd.img`. */
  readonly files: Record<'vmlinuz' | 'initrd.img', Buffer>;
  /** Returns the current content of a drive. */
  drive(name: 'sda' | 'nvme0n1'): Buffer;
  /** Returns the console output since it was switched on. */
  console(): string;
}

/** Initially off. Destroyed when the test ends. @param port of the daemon's southbound endpoint */
export async function openMachine(t: Scope, port: number, hardware: Hardware = {}): Promise<Machine> {
  const bmc = await startIpmiSim(t);
  const mac = '52:54:00:aa:00:01';
  const home = bmc.wire(script(port, mac, hardware));
  if (hardware.tftp) {
    mkdirSync(join(home, 'tftp'));
    writeFileSync(join(home, 'tftp/boot.ipxe'), `#!ipxe\nchain ${profiles(port)}\n`);
  }
  const images = { sda: join(home, 'sda.img'), nvme0n1: join(home, 'nvme0n1.img') };
  writeFileSync(join(home, 'console'), '');
  writeFileSync(images.sda, randomBytes(BYTES));
  truncateSync(images.sda, hardware.disk ?? BYTES);
  writeFileSync(images.nvme0n1, randomBytes(BYTES));
  if (hardware.uefi) copyFileSync(OVMF[1], join(home, 'settings'));
  // It is not a child of this process, and by then not of the BMC.
  const end = () => {
    const pid = join(home, 'machine');
    if (existsSync(pid)) killIfThere(Number(readFileSync(pid, 'utf8')));
  };
  process.once('exit', end);
  t.teardown(() => {
    process.off('exit', end);
    end();
  });
  const file = (name: string) => readFileSync(join(microkernel, name));
  return {
    bmc,
    mac,
    files: { vmlinuz: file('vmlinuz'), 'initrd.img': file('initrd.img') },
    drive: (name) => readFileSync(images[name]),
    console: () => readFileSync(join(home, 'console'), 'latin1'),
  };
}

const pflash = `  -drive if=pflash,format=raw,readonly=on,file=${OVMF[0]} -drive if=pflash,format=raw,file=settings \\
`;

/** Boots once from the network when the BMC requests it; else from a disk without a boot loader. */
const profiles = (port: number): string => `http://${HOST}:${port}/api/current/profiles`;

const script = (port: number, mac: string, { uefi, tftp, sshPort }: Hardware): string => `#!/bin/sh
if [ -e machine ]; then kill -9 "$(cat machine)" 2>/dev/null; rm machine; fi
if [ "$1" = 0 ]; then exit 0; fi
network=2 disk=1
if [ "$(cat boot 2>/dev/null)" = pxe ]; then network=1 disk=2; fi
echo none > boot
setsid ${QEMU} -machine q35 -accel tcg -cpu qemu64 -m 1024 -display none -monitor none -serial file:console \
${uefi ? pflash : ''}  -netdev user,id=lan,${tftp ? 'tftp=tftp,bootfile=boot.ipxe' : `bootfile=${profiles(port)}`}\
${sshPort === undefined ? '' : `,hostfwd=tcp:127.0.0.1:${sshPort}-:22`} \
  -device e1000,netdev=lan,mac=${mac},bootindex=$network \
  -drive file=sda.img,if=none,id=sda,format=raw,cache=unsafe \
  -device ide-hd,drive=sda,serial=ATA-0001,model=EXAMPLE-DISK,wwn=0x5000c500000000bb,bootindex=$disk \
  -drive file=nvme0n1.img,if=none,id=nvme,format=raw -device nvme,drive=nvme,serial=NVME-0001 \
  -smbios type=1,manufacturer=Example,product=Box,serial=SN-1 </dev/null >qemu 2>&1 &
echo $! > machine
`;
