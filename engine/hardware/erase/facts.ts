/** The node's report about its drives before an erase, and the reasons why a drive cannot be erased. Pure. */
import type { Violation } from '../../define/index.ts';
import type { Job } from './job-commands.ts';
import type { PlannedDrive } from './plan.ts';
import { type Protocol, tools } from './tools.ts';

export type Facts = Record<string, string>;

/** Parses lines `<name>.<key> <value>`, grouped by name; a key without a name is stored under ''. */
export function factsOf(printed: string): Map<string, Facts> {
  const factsByDrive = new Map<string, Facts>();
  for (const line of printed.split('\n')) {
    const [, name = '', key = '', value = ''] = /^(?:([\w-]+)\.)?(\w+) ?(.*)$/s.exec(line) ?? [];
    if (key === '') continue;
    const facts = factsByDrive.get(name) ?? {};
    facts[key] = value.trim();
    factsByDrive.set(name, facts);
  }
  return factsByDrive;
}

export interface ReadyDrive {
  jobs: Job[];
  violations: Violation[];
}

export function readyOf(drives: readonly PlannedDrive[], facts: ReadonlyMap<string, Facts>): ReadyDrive {
  const ready: ReadyDrive = { jobs: [], violations: [] };
  for (const [at, drive] of drives.entries()) {
    const { devName, tool, arg } = drive;
    const driveFacts = facts.get(devName) ?? {};
    const wrong = wrongWith(drive, driveFacts, facts.get(tool)?.version);
    if (wrong !== undefined) ready.violations.push({ path: `drives.${at}`, message: `${devName} ${wrong}` });
    const { size = '0', identity = '' } = driveFacts;
    ready.jobs.push({ devName, tool, arg, size: Number(size), identity, minutes: minutesOf(driveFacts, arg) });
  }
  return ready;
}

function wrongWith(
  { devName, tool, arg }: PlannedDrive,
  facts: Facts,
  version: string | undefined,
): string | undefined {
  if (facts.size === undefined) return 'does not exist';
  if (!(Number(facts.size) > 0)) return `reports a size of ${facts.size} bytes`;
  if (facts.mounted) return `is mounted at ${facts.mounted}`;
  if (version === undefined) return `cannot be erased: ${tools[tool].program} is not installed on the node`;
  const { protocol } = tools[tool];
  const spoken = protocolOf(devName, facts);
  if (protocol !== undefined && spoken !== protocol) {
    return `has the protocol ${spoken ?? '(unknown)'}, but ${tool} requires ${protocol}`;
  }
  return tool === 'hdparm' ? insecure(facts.security ?? '', arg) : undefined;
}

/** A SATA drive behind a SAS controller reports sas; its vendor identifies it. */
function protocolOf(devName: string, { VENDOR = '', TRAN = '' }: Facts): Protocol | undefined {
  if (devName.startsWith('nvme') || TRAN === 'nvme') return 'nvme';
  if (/^ATA\b/.test(VENDOR) || /ata$/.test(TRAN)) return 'ata';
  return /^(sas|fc|iscsi|spi)$/.test(TRAN) ? 'scsi' : undefined;
}

/** @param security the section of `hdparm -I`, with single spaces between words */
function insecure(security: string, arg: string): string | undefined {
  const says = (words: string) => security.includes(words);
  if (!/(?<!not )supported/.test(security)) return 'does not have the ATA security feature set';
  if (!says('not frozen')) return 'is frozen by its firmware: suspend and resume the node, or reconnect the drive';
  if (!says('not locked'))
    return 'is locked; after an interrupted erase its password is nodewright: hdparm --security-unlock';
  if (!says('not enabled')) return 'has a password; remove it first: hdparm --security-disable';
  if (arg === 'security-erase-enhanced' && !says('supported: enhanced erase')) return 'does not support enhanced erase';
  return undefined;
}

function minutesOf({ security = '' }: Facts, arg: string): number {
  const [, plain = 0, enhanced = plain] =
    /\b(\d+)min for SECURITY ERASE UNIT\.(?: (\d+)min for ENHANCED)?/.exec(security) ?? [];
  return Number(arg === 'security-erase-enhanced' ? enhanced : plain);
}
