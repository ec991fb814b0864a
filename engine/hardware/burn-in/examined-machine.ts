/** The facts that a node reports before and after a burn-in. Pure. */
import { type Facts, factsOf } from '../erase/facts.ts';

export interface ExaminedDrive {
  devName: string;
  serial: string;
  model: string;
  sizeBytes: number;
  identity: string;
  /** Where it is mounted, or what is made of it; '': nothing. */
  usedBy: string;
  /** `PASSED`, `OK`, or why not; null: unknown. */
  health: string | null;
  /** Counts by kind; those that the drive does not report are missing. */
  errors: Record<string, number>;
}

export interface ExaminedMachine {
  /** The id of the boot; '': unknown. */
  boot: string;
  cpus: number;
  /** Available memory. */
  mib: number;
  /** Versions by program; a program that is missing has none. */
  tools: Record<string, string>;
  /** Counts since the boot; null: the kernel does not count them. */
  memoryErrors: { corrected: number | null; uncorrected: number | null; exceptions: number | null };
  drives: ExaminedDrive[];
}

export const noFacts: ExaminedMachine = {
  boot: '',
  cpus: 0,
  mib: 0,
  tools: {},
  memoryErrors: { corrected: null, uncorrected: null, exceptions: null },
  drives: [],
};

const errorKinds = ['reallocated', 'reported', 'pending', 'uncorrectable', 'media'] as const;

/** null: no number. Numbers of critical warnings are hexadecimal. */
export const numberIn = (text: string | undefined): number | null =>
  text === undefined || text === '' || Number.isNaN(Number(text)) ? null : Number(text);

/** The words of a node become options of later tasks, in which braces would begin a template. */
export const withoutBraces = (text: string): string => text.replace(/[{}]/g, '');

export function examinedMachine(printed: string): ExaminedMachine {
  const all = factsOf(withoutBraces(printed));
  const general = all.get('') ?? {};
  const versions = [...all].flatMap(([name, { version }]) => (version === undefined ? [] : [[name, version]]));
  return {
    boot: general.boot ?? '',
    cpus: numberIn(general.cpus) ?? 0,
    mib: numberIn(general.mib) ?? 0,
    tools: Object.fromEntries(versions),
    memoryErrors: {
      corrected: numberIn(general.corrected),
      uncorrected: numberIn(general.uncorrected),
      exceptions: numberIn(general.exceptions),
    },
    drives: [...all].flatMap(([name, facts]) => (facts.identity === undefined ? [] : [driveOf(name, facts)])),
  };
}

const driveOf = (devName: string, facts: Facts): ExaminedDrive => ({
  devName,
  serial: facts.serial ?? '',
  model: facts.model ?? '',
  sizeBytes: numberIn(facts.size) ?? 0,
  identity: facts.identity ?? '',
  usedBy: facts.used ?? '',
  health: healthOf(facts),
  errors: Object.fromEntries(
    errorKinds.flatMap((kind) => {
      const errors = numberIn(facts[kind]);
      return errors === null ? [] : [[kind, errors]];
    }),
  ),
});

/** NVMe drives pass their self-assessment with critical warnings, too. */
function healthOf({ health, warning }: Facts): string | null {
  const bits = numberIn(warning) ?? 0;
  return bits === 0 ? (health ?? null) : `critical warning ${warning}`;
}

export const isHealthy = ({ health }: Pick<ExaminedDrive, 'health'>): boolean =>
  health === null || health === 'PASSED' || health === 'OK';
