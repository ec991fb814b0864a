/**
 * The tools that erase a drive: their arguments, the content that they leave, and the level of NIST SP 800-88 Rev. 1.
 *
 * 1. A level is the best that the method can achieve. A drive gets it only when the tool succeeded and the samples
 *    confirm it.
 * 2. Where the level depends on the kind of drive (appendix A of the standard), an unknown kind gets the lower level.
 */
export const toolNames = ['scrub', 'hdparm', 'sg_sanitize', 'sg_format', 'nvme_format', 'nvme_sanitize'] as const;
export type ToolName = (typeof toolNames)[number];

export type Protocol = 'ata' | 'scsi' | 'nvme';
export type Level = 'Clear' | 'Purge';

/**
 * The content of every block after the tool: one byte in hex; `random`: changed content; or `changed`: no old content,
 * though a block that was blank may still be blank.
 */
export type BlockContent = string | 'random' | 'changed';

export interface Method {
  /** The name in the certificate. */
  name: string;
  /** null: it does not sanitize. */
  level: Level | null;
  /** The level on a magnetic disk, if higher. */
  magnetic?: Level;
  left: BlockContent;
  /** Number of passes over the drive, including verification reads. */
  passes: number;
}

interface Tool {
  /** The program that must be installed on the node. */
  program: string;
  /** undefined: any drive. */
  protocol?: Protocol;
  /** The drive erases itself: this cannot be stopped, and a power cycle may ruin the drive. */
  firmware: boolean;
  /** The default argument. */
  usual: string;
  /** By argument. */
  methods: Record<string, Method>;
}

const overwrite = (name: string, passes: number, finalContent: BlockContent): Method => ({
  name: `Overwrite, ${name}`,
  level: 'Clear',
  passes,
  left: finalContent,
});

const firmware = (name: string, level: Level | null, finalContent: BlockContent = 'changed'): Method => ({
  name,
  level,
  left: finalContent,
  passes: 1,
});

export const tools: Record<ToolName, Tool> = {
  scrub: {
    program: 'scrub',
    firmware: false,
    usual: 'nnsa',
    methods: {
      nnsa: overwrite('NNSA NAP-14.1-C', 4, '00'),
      dod: overwrite('DoD 5220.22-M', 4, 'ff'),
      bsi: overwrite('BSI', 9, '7f'),
      fillzero: overwrite('0x00', 1, '00'),
      fillff: overwrite('0xff', 1, 'ff'),
      random: overwrite('random', 1, 'random'),
      random2: overwrite('random twice', 2, 'random'),
      gutmann: overwrite('Gutmann', 35, 'random'),
      schneier: overwrite('Schneier', 7, 'random'),
      pfitzner7: overwrite('Pfitzner 7', 7, 'random'),
      pfitzner33: overwrite('Pfitzner 33', 33, 'random'),
      old: overwrite('scrub before 1.7', 6, '55'),
      fastold: overwrite('scrub before 1.7, without random', 5, '55'),
      // scrub 2.6 ends it with random data, other versions as they end dod.
      usarmy: overwrite('US Army AR380-19', 4, 'changed'),
    },
  },
  hdparm: {
    program: 'hdparm',
    protocol: 'ata',
    firmware: true,
    usual: 'security-erase',
    methods: {
      'security-erase': firmware('ATA SECURITY ERASE UNIT', 'Clear'),
      'security-erase-enhanced': {
        ...firmware('ATA SECURITY ERASE UNIT, enhanced', 'Clear'),
        magnetic: 'Purge',
      },
    },
  },
  sg_sanitize: {
    program: 'sg_sanitize',
    protocol: 'scsi',
    firmware: true,
    usual: 'block',
    methods: {
      block: firmware('SCSI SANITIZE, block erase', 'Purge'),
      fail: firmware('SCSI SANITIZE, exit failure mode: nothing is erased', null),
      crypto: firmware('SCSI SANITIZE, cryptographic erase', 'Purge'),
    },
  },
  sg_format: {
    program: 'sg_format',
    protocol: 'scsi',
    firmware: true,
    usual: '1',
    methods: {
      '1': firmware('SCSI FORMAT UNIT, grown defects kept', 'Clear'),
      '0': firmware('SCSI FORMAT UNIT, grown defects erased', 'Clear'),
    },
  },
  nvme_format: {
    program: 'nvme',
    protocol: 'nvme',
    firmware: true,
    usual: 'user-data',
    methods: {
      'user-data': firmware('NVMe Format, user data erase', 'Clear'),
      crypto: firmware('NVMe Format, cryptographic erase', 'Purge'),
    },
  },
  nvme_sanitize: {
    program: 'nvme',
    protocol: 'nvme',
    firmware: true,
    usual: 'block',
    methods: {
      block: firmware('NVMe Sanitize, block erase', 'Purge'),
      overwrite: firmware('NVMe Sanitize, overwrite', 'Purge'),
      crypto: firmware('NVMe Sanitize, cryptographic erase', 'Purge'),
    },
  },
};

const aliases: Record<string, string> = {
  'secure-erase': 'security-erase',
  'secure-erase-enhanced': 'security-erase-enhanced',
};
/** `custom=5a`, `custom=0x5a` or, in scrub's form, `custom=\x5a`. */
const custom = /^custom=(?:0x|\\x)?([0-9a-f]{2})$/i;

/** @param given absent: the default. @returns the argument in the tool's own form; undefined if it is unknown */
export function argumentOf(tool: ToolName, given: string | undefined): string | undefined {
  const { methods, usual } = tools[tool];
  if (given === undefined) return usual;
  const byte = tool === 'scrub' ? custom.exec(given)?.[1] : undefined;
  if (byte !== undefined) return `custom=\\x${byte.toLowerCase()}`;
  const name = tool === 'hdparm' ? (aliases[given] ?? given) : given;
  return Object.hasOwn(methods, name) ? name : undefined;
}

/** @param argument a result of `argumentOf` */
export function methodOf(tool: ToolName, argument: string): Method {
  const byte = custom.exec(argument)?.[1];
  return (byte && overwrite(`0x${byte}`, 1, byte)) || (tools[tool].methods[argument] as Method);
}

/** For messages. */
export const argumentsOf = (tool: ToolName): string => {
  const names = Object.keys(tools[tool].methods);
  return [...names, ...(tool === 'scrub' ? ['custom=<hex byte>'] : [])].join(', ');
};

/** One way to erase a drive, as a setting names it. `protocol` null: any. */
interface EraseMethod {
  tool: ToolName;
  arg: string;
  title: string;
  protocol: Protocol | null;
}

/** All that sanitize, the usual one of each tool first. */
export const eraseMethods: readonly EraseMethod[] = toolNames.flatMap((tool) => {
  const { methods, usual, protocol = null } = tools[tool];
  const sanitizing = Object.entries(methods).filter(([, { level }]) => level !== null);
  return sanitizing
    .toSorted(([a], [b]) => Number(b === usual) - Number(a === usual))
    .map(([arg, { name, level, magnetic }]) => {
      const levels = magnetic === undefined ? `${level}` : `${level}, ${magnetic} on a magnetic disk`;
      return { tool, arg, title: `${name} (${levels})`, protocol };
    });
});
