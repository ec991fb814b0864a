/** Commands of RackHD's shape for the agent: with a file that the node fetches first, and `sudo` that may be missing. */

import { shellQuoted } from '../vocabulary/shell-quoted.ts';
import type { CatalogFormat, Command } from './command.ts';

export interface ScriptItem {
  command?: string | null;
  /** Fetched, executable, into an empty folder in which the command runs; without a command the file itself is run. */
  downloadUrl?: string | null;
  catalog?: { source: string; format: CatalogFormat } | null;
  acceptedResponseCodes?: number[] | null;
  timeoutSec?: number;
}

/** Exported for twins, which recognize it. */
export const FETCH_SCRIPT = `fetch() { if command -v curl >/dev/null 2>&1; then curl -fsS -o "$2" "$1"; else wget -q -O "$2" "$1"; fi; }`;
/** Exported for twins, which recognize it. */
export const SUDO_SCRIPT = 'command -v sudo >/dev/null 2>&1 || sudo() { "$@"; }';

/** Returns the name of the file behind a URL, with harmless characters only. */
const fileOf = (url: string): string =>
  (url.split(/[?#]/)[0]?.split('/').at(-1) ?? '').replace(/[^\w.-]/g, '_').replace(/^[.-]+/, '') || 'script';

function shellOf({ command, downloadUrl }: ScriptItem): string {
  const commandText = command ?? '';
  const lines = /\bsudo\b/.test(commandText) ? [SUDO_SCRIPT] : [];
  if (typeof downloadUrl !== 'string') return [...lines, commandText].join('\n');
  const file = fileOf(downloadUrl);
  return [
    ...lines,
    FETCH_SCRIPT,
    'cd "$(mktemp -d)" || exit 1',
    `fetch ${shellQuoted(downloadUrl)} ${file} && chmod 555 ${file} || exit 1`,
    commandText === '' ? `./${file}` : commandText,
  ].join('\n');
}

/** The catalogs that well-known commands print, for items that name none. */
const printed: readonly [pattern: RegExp, source: string, format: CatalogFormat][] = [
  [/\bdmidecode\b/, 'dmi', 'dmi'],
  [/\blshw -json\b/, 'lshw', 'json'],
  [/\bohai\b/, 'ohai', 'json'],
  [/\bipmitool lan print$/, 'bmc', 'pairs'],
  [/\bipmitool lan print (\d+)$/, 'bmc-$1', 'pairs'],
  [/\bipmitool mc info$/, 'ipmi-mc-info', 'pairs'],
  [/\bipmitool sel(?: info)?$/, 'ipmi-sel-information', 'pairs'],
  [/\b(?:storcli|perccli)64 \/c\d+ show all J$/, 'megaraid-controllers', 'json'],
  [/\b(?:storcli|perccli)64 show ctrlcount J$/, 'adapter-count', 'json'],
  [/\b(?:storcli|perccli)64 \/c\d+ \/eall \/sall show all J$/, 'megaraid-physical-drives', 'json'],
  [/\b(?:storcli|perccli)64 \/c\d+ \/vall show all J$/, 'megaraid-virtual-disks', 'json'],
  [/\bperccli64 -v$/, 'perccli-version', 'raw'],
  [/\bafulnx_64 \/S$/, 'ami', 'ami'],
  [/\bflashupdt -i$/, 'flashupdt', 'flashupdt'],
  [/\bget_driveid\.js\b/, 'driveId', 'json'],
];

function catalogOfCommand(command: string | null | undefined): Pick<Command, 'catalog'> {
  for (const [pattern, source, format] of printed) {
    const match = pattern.exec(command ?? '');
    if (match !== null) return { catalog: { source: source.replace('$1', match[1] ?? ''), format } };
  }
  return {};
}

/** @param guesses whether the output of a well-known command becomes a catalog without being asked to */
export function commandOfScript(item: string | ScriptItem, timeoutSec: number, guesses: boolean): Command {
  const { catalog, acceptedResponseCodes, ...script } =
    typeof item === 'string' ? { command: item } : (item as ScriptItem);
  const catalogPart = catalog ? { catalog } : guesses ? catalogOfCommand(script.command) : {};
  // As RackHD, which accepts these besides 0.
  const codes = acceptedResponseCodes ? { acceptedResponseCodes: [...new Set([0, ...acceptedResponseCodes])] } : {};
  const { command, downloadUrl } = script;
  const file = downloadUrl && !command ? { downloadUrl } : {};
  return { command: shellOf(script), ...file, timeoutSec: script.timeoutSec ?? timeoutSec, ...catalogPart, ...codes };
}
