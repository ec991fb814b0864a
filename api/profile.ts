/**
 * What a node that boots over the network does now, as an iPXE script. A library of profiles would take the place of
 * `profileOf`.
 */
import type { BootImage } from '../engine/define/command.ts';

interface Asked {
  /** How the node reaches this endpoint, such as `http://10.1.1.1:9080`. */
  origin: string;
  node: string;
  /** null: a workflow has the node, and says nothing yet; undefined: none has. */
  boot: BootImage | null | undefined;
}

const script = (...lines: string[]): string => `${['#!ipxe', ...lines].join('\n')}\n`;

const profiles = (origin: string): string => `${origin}/api/current/profiles`;

export function profileOf({ origin, node, boot }: Asked): string {
  if (boot === undefined) return script('echo nothing to do: booting what is installed', 'exit');
  if (boot === null) return script('echo waiting for the workflow', 'sleep 5', `chain --replace ${again(origin)}`);
  const { kernel, initrd, cmdline = '' } = boot;
  const at = (path: string) => (/^[a-z]+:\/\//.test(path) ? path : `${origin}/${path.replace(/^\/+/, '')}`);
  const own = `nodewright.api=${origin}/api/current nodewright.node=${node}`;
  return script(
    `kernel ${at(kernel)} ${own} ${cmdline}`.trimEnd(),
    ...(initrd === undefined ? [] : [`initrd ${at(initrd)}`]),
    'boot',
  );
}

const again = (origin: string): string => `${profiles(origin)}?macs=\${net0/mac}&ips=\${net0/ip}`;

/** Interfaces that iPXE is asked for. */
const INTERFACES = 4;

/** For who did not say who it is: asks again, with its addresses. */
export function introduction(origin: string): string {
  const more = Array.from({ length: INTERFACES - 1 }, (_, at) => at + 1).map(
    (n) => `isset \${net${n}/mac} && set who \${who}&macs=\${net${n}/mac}&ips=\${net${n}/ip} ||`,
  );
  const who = `set who macs=\${net0/mac}&ips=\${net0/ip}`;
  return script(who, ...more, `chain --replace ${profiles(origin)}?\${who}`);
}
