/** The NetBox that a command talks to, by its options, else by the environment. */
import { type Command, Option } from 'commander';
import { checkRemoteUrl, fileText, usageError } from '../remote-address.ts';

export interface NetBoxOptions {
  netbox?: string;
  netboxCa?: string;
  tokenFile?: string;
}

export interface NetBoxAddress {
  /** Without `/api` and without a slash at its end. */
  url: string;
  token: string;
  /** Certificates to trust in addition to the system's, as PEM. */
  ca: string | undefined;
}

/** Adds the options that choose a NetBox. The token is no option: others on this host can read the arguments of a process. */
export const addressingNetBox = (command: Command): Command =>
  command
    .addOption(new Option('--netbox <url>', 'URL of NetBox (NETBOX_URL)'))
    .addOption(new Option('--netbox-ca <file>', 'certificates to trust for NetBox, as PEM (NETBOX_CA)'))
    .addOption(new Option('--token-file <file>', 'file with the token of NetBox; without it NETBOX_TOKEN is used'));

/** @throws CommandError */
export function netBoxAddressOf({ netbox, netboxCa, tokenFile }: NetBoxOptions): NetBoxAddress {
  const { NETBOX_URL, NETBOX_TOKEN, NETBOX_CA } = process.env;
  const url = netbox || NETBOX_URL || '';
  checkRemoteUrl(url, 'NetBox', '--netbox https://... or NETBOX_URL');
  const token = (tokenFile === undefined ? (NETBOX_TOKEN ?? '') : fileText(tokenFile)).trim();
  // Printable characters without spaces: others could not be sent in a header.
  if (!/^[\x21-\x7e]{1,500}$/.test(token))
    throw usageError('found no token of NetBox; expected one in NETBOX_TOKEN, or in the file of --token-file');
  const ca = netboxCa || NETBOX_CA;
  return {
    url: url.replace(/\/+$/, '').replace(/\/api$/, ''),
    token,
    ca: ca === undefined || ca === '' ? undefined : fileText(ca),
  };
}
