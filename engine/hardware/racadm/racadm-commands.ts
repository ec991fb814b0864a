/** The commands of racadm for each action of RackHD's racadm jobs. Pure. */

export interface RacadmOptions {
  action: string;
  serverFilePath?: string;
  serverUsername?: string;
  serverPassword?: string;
  forceReboot: boolean;
  components?: string[];
  ip?: string;
  netMask?: string;
  gateway?: string;
  timeoutSec: number;
}

export interface RacadmStep {
  args: readonly string[];
  /** Exit codes besides 0. */
  accepts?: readonly number[];
  /** Its job, or that of a step before, is awaited: it ends on the iDRAC. */
  awaitsJob?: true;
}

/** The path that racadm writes to, or reads from, for a file that is not on a share. */
export type LocalFile = string | undefined;

const BIOS = 'BIOS.Setup.1-1';
/** The exit code of an update whose job is scheduled. */
const SCHEDULED = 48;

export const isShare = (path = ''): boolean => path.startsWith('//');

/** A share is read by the iDRAC itself. */
function fileArguments(
  { serverFilePath = '', serverUsername, serverPassword }: RacadmOptions,
  local: LocalFile,
): string[] {
  if (!isShare(serverFilePath)) return ['-f', local ?? ''];
  const at = serverFilePath.lastIndexOf('/');
  const user = serverUsername === undefined ? [] : ['-u', serverUsername, '-p', serverPassword ?? ''];
  return ['-f', serverFilePath.slice(at + 1), ...user, '-l', serverFilePath.slice(0, at)];
}

const setInManager = (name: string, value: string) => () => [{ args: ['set', `iDRAC.${name}`, value] }];

/** The job begins immediately, and restarts the machine. */
const NOW = '-r pwrcycle -s TIME_NOW -e TIME_NA'.split(' ');

const virtualization =
  (value: string) =>
  ({ forceReboot }: RacadmOptions): RacadmStep[] => [
    { args: ['set', 'BIOS.ProcSettings.ProcVirtualization', value] },
    forceReboot
      ? { args: ['jobqueue', 'create', BIOS, ...NOW], awaitsJob: true }
      : { args: ['jobqueue', 'create', BIOS] },
  ];

const powerCycle: RacadmStep = { args: ['serveraction', 'powercycle'] };

const actions: Readonly<Record<string, (options: RacadmOptions, local: LocalFile) => RacadmStep[]>> = {
  getConfigCatalog: (_, local) => [{ args: ['get', '-t', 'xml', '-f', local ?? ''] }],
  getSoftwareList: () => [{ args: ['swinventory'] }],
  getBiosConfig: (options, local) => [
    { args: ['get', ...fileArguments(options, local), '-t', 'xml', '-c', BIOS], awaitsJob: true },
  ],
  setBiosConfig: (options, local) => {
    const args = ['set', ...fileArguments(options, local), '-t', 'xml', '-b'];
    // Without a restart, the job waits for one that others make.
    return [options.forceReboot ? { args: [...args, 'Forced'], awaitsJob: true } : { args: [...args, 'NoReboot'] }];
  },
  updateFirmware: (options, local) => {
    const update = { args: ['update', ...fileArguments(options, local)], accepts: [SCHEDULED] };
    return options.forceReboot ? [update, { ...powerCycle, awaitsJob: true }] : [update];
  },
  resetComponents: ({ components = [] }) => [{ args: ['systemerase', components.join(',')] }],
  enableIpmi: setInManager('IPMILan.Enable', '1'),
  disableIpmi: setInManager('IPMILan.Enable', '0'),
  enableVTx: virtualization('Enabled'),
  disableVTx: virtualization('Disabled'),
  enableAlert: setInManager('IPMILan.AlertEnable', '1'),
  enableRedfish: setInManager('Redfish.Enable', '1'),
  disableRedfish: setInManager('Redfish.Enable', '0'),
  setIdracIP: ({ ip = '', netMask = '', gateway = '' }) => [{ args: ['setniccfg', '-s', ip, netMask, gateway] }],
};

export const racadmActions = Object.keys(actions);

export const racadmSteps = (options: RacadmOptions, local: LocalFile): RacadmStep[] =>
  actions[options.action]?.(options, local) ?? [];

/**
 * The catalog of `swinventory`, as RackHD has it: components with `elementName`, `FQDD`, `currentVersion`, `rollbackVersion` and so
 * on, under the first word of their FQDD (`BIOS`), with their slot if there are several (`NIC1`). Empty if there are none.
 */
export function softwareList(text: string): Record<string, Record<string, string>> {
  const components = new Map<string, Record<string, string>>();
  for (const block of text.split(/^-{5,}.*$/m)) {
    const pairs = [...block.matchAll(/^([A-Za-z]+(?: +[A-Za-z]+)*) *=(.*)$/gm)].map(
      ([, name = '', value = '']) => [keyOf(name), value.trim()] as const,
    );
    const component: Record<string, string> = Object.fromEntries(pairs);
    const fqdd = component.FQDD?.split(':')[0];
    if (fqdd === undefined) continue;
    const before = components.get(fqdd);
    const isDated = before?.installationDate !== undefined && before.installationDate !== 'NA';
    const dated = isDated ? {} : { installationDate: component.installationDate ?? 'NA' };
    components.set(fqdd, { ...component, ...before, ...dated });
  }
  const kinds = [...components.keys()].map(kindOf);
  return Object.fromEntries(
    [...components].map(([fqdd, component]) => {
      const kind = kindOf(fqdd);
      const isOnly = kinds.filter((one) => one === kind).length === 1;
      return [isOnly ? kind : `${kind}${fqdd.split('.')[2]?.split('-')[0] ?? ''}`, component];
    }),
  );
}

const kindOf = (fqdd: string): string => fqdd.split('.')[0] ?? fqdd;

function keyOf(name: string): string {
  const word = name.replaceAll(' ', '');
  return word === 'FQDD' ? word : `${word.slice(0, 1).toLowerCase()}${word.slice(1)}`;
}

export const jobIn = (text: string): string | undefined => /\bJID_\d{6,20}\b/.exec(text)?.[0];

/** @returns undefined: the text says nothing of the job */
export function jobState(text: string): { state: 'running' | 'completed' | 'failed'; message: string } | undefined {
  const status = /^[ \t]*Status *=(.*)$/m.exec(text)?.[1]?.trim();
  if (status === undefined) return undefined;
  const message =
    /^[ \t]*Message *=(.*)$/m
      .exec(text)?.[1]
      ?.trim()
      .replace(/^\[|\]$/g, '') ?? status;
  if (/^Completed with errors|^Failed/i.test(status)) return { state: 'failed', message };
  return { state: /^Completed/i.test(status) ? 'completed' : 'running', message };
}
