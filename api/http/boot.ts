/** The boot profile of a node that boots over the network, and the additional template variables for it. */
import type { TemplateTask } from '../../engine/api-port/index.ts';
import type { BootImage } from '../../engine/define/command.ts';

/** null: a workflow holds the node but has named no image yet; undefined: no workflow holds the node. */
type Boot = BootImage | null | undefined;

/** For a sender that may not end the waits of the node's workflow. */
export const NO_CALLBACKS: TemplateTask = { callback: null, callbacks: {} };

/** The profile for a node that sent no MAC. */
export const INTRODUCTION = 'redirect.ipxe';

export function profileOf(boot: Boot): string {
  if (boot === undefined) return 'local.ipxe';
  return boot === null ? 'wait.ipxe' : (boot.profile ?? 'linux.ipxe');
}

/** @param origin base URL for files that the image names by a path */
export function image(boot: Boot, origin = ''): Record<string, unknown> {
  const { kernel = null, initrd = null, cmdline = '' } = boot ?? {};
  const at = (path: string) => (/^[a-z]+:\/\//.test(path) ? path : `${origin}/${path.replace(/^\/+/, '')}`);
  return { boot: { kernel: kernel && at(kernel), initrd: initrd && at(initrd), cmdline } };
}

/** The daemon's address under which this node has reached it; an address from the configuration would be a guess. */
export function reachedAt(origin: string): Record<string, unknown> {
  const { hostname, port, protocol } = new URL(origin);
  const base = `${origin}/api/current`;
  const places = ['templates', 'profiles', 'files', 'nodes'].map((name) => [name, `${base}/${name}`]);
  return {
    server: hostname,
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    file: { server: origin },
    api: { server: origin, base, ...Object.fromEntries(places) },
  };
}
