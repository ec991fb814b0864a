/** What a node that boots over the network is given: which profile, and what that finds besides what there is anyway. */
import type { BootImage } from '../engine/define/command.ts';

/** null: a workflow has the node, and says nothing yet; undefined: none has. */
type Boot = BootImage | null | undefined;

/** Of a machine that did not say who it is. */
export const INTRODUCTION = 'redirect.ipxe';

export function profileOf(boot: Boot): string {
  if (boot === undefined) return 'local.ipxe';
  return boot === null ? 'wait.ipxe' : (boot.profile ?? 'linux.ipxe');
}

/** @param origin of the files that the image names by a path */
export function image(boot: Boot, origin = ''): Record<string, unknown> {
  const { kernel = null, initrd = null, cmdline = '' } = boot ?? {};
  const at = (path: string) => (/^[a-z]+:\/\//.test(path) ? path : `${origin}/${path.replace(/^\/+/, '')}`);
  return { boot: { kernel: kernel && at(kernel), initrd: initrd && at(initrd), cmdline } };
}

/** Where the daemon is, as the node that asks has reached it: by then an address of the configuration is but a guess. */
export function reachedAt(origin: string): Record<string, unknown> {
  const { hostname, port, protocol } = new URL(origin);
  const base = `${origin}/api/current`;
  const places = ['templates', 'profiles', 'files', 'nodes'].map((name) => [name, `${base}/${name}`]);
  return {
    ...{ server: hostname, port: Number(port || (protocol === 'https:' ? 443 : 80)), file: { server: origin } },
    api: { server: origin, base, ...Object.fromEntries(places) },
  };
}
