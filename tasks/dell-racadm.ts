/**
 * Runs `racadm`, Dell's own tool, on the node through the agent, for one action of RackHD: the tool must be installed
 * there. Files of settings and firmware are on the node, or on a CIFS share (`//server/share/file`) that the tool reads.
 *
 * Output: `{ results }`, one per command; `getConfigCatalog` and `getSoftwareList` make catalogs of the raw output.
 */
import { type Command, type CommandsOutput, defineTask, IPV4_PATTERN, runCommands, Type } from 'nodewright/define';

const name = 'Task.Dell.Racadm';
const BIOS = 'BIOS.Setup.1-1';

/** Words of a command line: without quotes, blanks and what a shell would expand. */
const word = (description: string) =>
  Type.Optional(
    Type.Unsafe<string>({ type: 'string', pattern: '^[^\\s\'"`$;&|<>()\\\\]+$', maxLength: 1_024, description }),
  );
const address = (description: string) =>
  Type.Optional(Type.Unsafe<string>({ type: 'string', pattern: IPV4_PATTERN, description }));

const actions = [
  ...['getConfigCatalog', 'getSoftwareList', 'getBiosConfig', 'setBiosConfig', 'updateFirmware', 'resetComponents'],
  ...['enableIpmi', 'disableIpmi', 'enableVTx', 'disableVTx', 'enableAlert', 'enableRedfish', 'disableRedfish'],
  'setIdracIP',
] as const;

const optionsSchema = Type.Object(
  {
    action: Type.Unsafe<string>({ type: 'string', enum: [...actions], description: 'The action.' }),
    serverFilePath: word('The file, on the node or on a share.'),
    serverUsername: word('User of the share.'),
    serverPassword: word('Password of the share.'),
    forceReboot: Type.Boolean({ default: true, description: 'Whether a change may reboot the node immediately.' }),
    components: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Za-z]+$' }), { maxItems: 20, description: 'Components to reset.' }),
    ),
    ip: address('Address of the iDRAC.'),
    netMask: address('Network mask of the iDRAC.'),
    gateway: address('Gateway of the iDRAC.'),
    updateExistingCatalog: Type.Optional(Type.Boolean({ description: 'Has no effect; the latest catalog counts.' })),
    timeoutSec: Type.Integer({ minimum: 1, maximum: 86_400, description: 'Timeout of a command in seconds.' }),
  },
  { additionalProperties: false },
);

interface Options {
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

/** The arguments that name a file: on a share with its user, otherwise a path. */
function fileOf({ serverFilePath = '', serverUsername, serverPassword }: Options): string {
  if (!serverFilePath.startsWith('//')) return `-f ${serverFilePath}`;
  const at = serverFilePath.lastIndexOf('/');
  const user = serverUsername === undefined ? '' : ` -u ${serverUsername} -p ${serverPassword}`;
  return `-f ${serverFilePath.slice(at + 1)}${user} -l ${serverFilePath.slice(0, at)}`;
}

const virtualization = (state: string, { forceReboot }: Options) => [
  `set BIOS.ProcSettings.ProcVirtualization ${state}`,
  `jobqueue create ${BIOS}${forceReboot ? ' -r pwrcycle -s TIME_NOW -e TIME_NA' : ''}`,
];

const linesOf: Record<string, (options: Options) => string[]> = {
  getConfigCatalog: () => ['get -t xml -f /tmp/racadm-config.xml >/dev/null && cat /tmp/racadm-config.xml'],
  getSoftwareList: () => ['swinventory'],
  getBiosConfig: (options) => [`get ${fileOf(options)} -t xml -c ${BIOS}`],
  setBiosConfig: (options) => [`set ${fileOf(options)} -t xml -b ${options.forceReboot ? 'Forced' : 'NoReboot'}`],
  updateFirmware: (options) => [`update ${fileOf(options)}${options.forceReboot ? ' --reboot' : ''}`],
  resetComponents: ({ components = [] }) => [`systemerase ${components.join(',')}`],
  enableIpmi: () => ['set iDRAC.IPMILan.Enable 1'],
  disableIpmi: () => ['set iDRAC.IPMILan.Enable 0'],
  enableVTx: (options) => virtualization('Enabled', options),
  disableVTx: (options) => virtualization('Disabled', options),
  enableAlert: () => ['set iDRAC.IPMILan.AlertEnable 1'],
  enableRedfish: () => ['set iDRAC.Redfish.Enable 1'],
  disableRedfish: () => ['set iDRAC.Redfish.Enable 0'],
  setIdracIP: ({ ip, netMask, gateway }) => [`setniccfg -s ${ip} ${netMask} ${gateway}`],
};

const sources: Record<string, string> = {
  getConfigCatalog: 'idrac-racadm-configure',
  getSoftwareList: 'racadm-firmware-list-catalog',
};

function commandsOf(options: Options): Command[] {
  const source = sources[options.action];
  return (linesOf[options.action]?.(options) ?? []).map((line) => ({
    command: `racadm ${line}`,
    timeoutSec: options.timeoutSec,
    ...(source !== undefined && { catalog: { source, format: 'raw' as const } }),
  }));
}

/** The options that an action cannot do without. */
const needed: Record<string, readonly (keyof Options)[]> = {
  getBiosConfig: ['serverFilePath'],
  setBiosConfig: ['serverFilePath'],
  updateFirmware: ['serverFilePath'],
  resetComponents: ['components'],
  setIdracIP: ['ip', 'netMask', 'gateway'],
};

export default defineTask<typeof optionsSchema, CommandsOutput>({
  injectableName: name,
  friendlyName: 'Run racadm',
  // A change of the BIOS or the firmware must not be begun twice.
  recovery: 'once',
  destructive: true,
  power: 'cycle',
  optionsSchema,
  options: { forceReboot: true, timeoutSec: 3_600 },
  checkLaunch: async ({ options }) =>
    (needed[String(options.action)] ?? [])
      .filter((key) => (options as Record<string, unknown>)[key] === undefined)
      .map((key) => ({ path: key, message: `is missing; the action ${options.action} needs it` })),
  machine: runCommands<Options>(name, commandsOf),
});
