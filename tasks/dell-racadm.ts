/**
 * Runs `racadm`, Dell's tool, against the iDRAC of the node, for one action of RackHD. The tool must be installed on the computer of
 * the daemon (Dell iDRAC Tools); the node needs no system and no agent. Address and account are those of the node's obm. Jobs of the
 * iDRAC are awaited. Where the iDRAC has Redfish, the graphs that use it need no tool.
 *
 * Output: `{ results: [{ command, stdout }] }`. `getConfigCatalog`, `getSoftwareList`, and `getBiosConfig` without a share make
 * catalogs.
 */
import { setTimeout } from 'node:timers/promises';
import {
  type ActivityScope,
  defineTask,
  IPV4_PATTERN,
  ObmError,
  PermanentError,
  type Racadm,
  Type,
} from 'nodewright/define';
import {
  isShare,
  jobIn,
  jobState,
  type RacadmOptions,
  type RacadmStep,
  racadmActions,
  racadmSteps,
  softwareList,
} from '../engine/hardware/racadm/racadm-commands.ts';
import { copyTo, settingsText, withFolder } from '../engine/hardware/racadm/racadm-files.ts';

const name = 'Task.Dell.Racadm';

/** Without quotes and blanks, and no option of the tool. */
const word = (description: string) =>
  Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      pattern: '^[^\\s\'"`$;&|<>()\\\\-][^\\s\'"`$;&|<>()\\\\]*$',
      maxLength: 1_024,
      description,
    }),
  );
const address = (description: string) =>
  Type.Optional(Type.Unsafe<string>({ type: 'string', pattern: IPV4_PATTERN, description }));

const optionsSchema = Type.Object(
  {
    action: Type.Unsafe<string>({ type: 'string', enum: [...racadmActions], description: 'The action.' }),
    serverFilePath: word(
      'The file: `//server/share/file`, which the iDRAC itself reads or writes, or the name of a file of the daemon (`PUT /files`).',
    ),
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
    timeoutSec: Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: 'Timeout of a command, and of its job, in seconds.',
    }),
  },
  { additionalProperties: false },
);

interface Result {
  command: string;
  stdout: string;
}

type Scope = ActivityScope<RacadmOptions>;

/** Between two looks at a job. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 15_000];

async function runAction(scope: Scope): Promise<{ results: Result[] }> {
  const { nodeId, services, input, signal } = scope;
  if (nodeId === null) throw new PermanentError('a workflow without a node has no iDRAC', 'NO_NODE');
  const racadm = await services.racadm(nodeId);
  const { serverFilePath = 'settings.xml' } = input;
  const localName = serverFilePath.split('/').at(-1) ?? '';
  return withFolder(localName, async (path) => {
    if (readsFile(input)) await copyTo(path, await storedFile(scope, serverFilePath), signal);
    const results: Result[] = [];
    for (const step of racadmSteps(input, path)) results.push(await runStep(racadm, step, results, scope));
    await addCatalog(scope, nodeId, results.at(-1)?.stdout ?? '', path);
    return { results };
  });
}

const readsFile = ({ action, serverFilePath }: RacadmOptions): boolean =>
  ['setBiosConfig', 'updateFirmware'].includes(action) && !isShare(serverFilePath);

async function storedFile({ services }: Scope, name: string) {
  const file = await services.file(name);
  if (file !== undefined) return file;
  throw new PermanentError(
    `serverFilePath: found ${JSON.stringify(name)}, expected //server/share/file, or the name of a file that was put to /files`,
    'INVALID_OPTIONS',
  );
}

async function runStep(racadm: Racadm, step: RacadmStep, before: readonly Result[], scope: Scope): Promise<Result> {
  const { args, accepts = [] } = step;
  const { signal, input } = scope;
  const timeoutMs = input.timeoutSec * 1_000;
  const stdout = await racadm({ args, accepts: [0, ...accepts], timeoutMs, signal });
  const job = jobIn([...before.map((one) => one.stdout), stdout].join('\n'));
  if (step.awaitsJob === true && job !== undefined) await jobEnd(racadm, job, scope);
  // Neither files nor accounts: those of a share have a password.
  return { command: args.slice(0, 2).join(' '), stdout };
}

/** Resolves when the iDRAC has completed the job. It may restart in the meantime. @throws ObmError */
async function jobEnd(racadm: Racadm, job: string, { input, signal }: Scope): Promise<void> {
  const end = performance.now() + input.timeoutSec * 1_000;
  let message = 'no answer';
  for (let pause = FIRST_PAUSE_MS; performance.now() < end; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    await setTimeout(pause, undefined, { signal });
    const looked = await stateOf(racadm, job, signal);
    if (looked.state === 'completed') return;
    message = looked.message;
    if (looked.state === 'failed')
      throw new ObmError('OBM_FAILED', `the job ${job} of the iDRAC failed: ${message}`, { retry: false });
  }
  throw new ObmError(
    'OBM_UNANSWERED',
    `the job ${job} of the iDRAC has not ended after ${input.timeoutSec} s: ${message}`,
    {
      retry: false,
      sent: true,
    },
  );
}

const JOB_LOOK_MS = 60_000;

async function stateOf(racadm: Racadm, job: string, signal: AbortSignal) {
  try {
    const text = await racadm({ args: ['jobqueue', 'view', '-i', job], timeoutMs: JOB_LOOK_MS, signal });
    return jobState(text) ?? { state: 'running' as const, message: 'the iDRAC does not know the job' };
  } catch (error) {
    if (!(error instanceof ObmError) || error.code === 'OBM_UNSUPPORTED') throw error;
    return { state: 'running' as const, message: error.message };
  }
}

async function addCatalog({ services, input }: Scope, node: string, stdout: string, path: string): Promise<void> {
  const { action, serverFilePath } = input;
  if (action === 'getSoftwareList')
    await services.addCatalog(node, 'racadm-firmware-list-catalog', softwareList(stdout));
  if (action === 'getConfigCatalog')
    await services.addCatalog(node, 'idrac-racadm-configure', { raw: await settingsText(path) });
  if (action === 'getBiosConfig' && !isShare(serverFilePath))
    await services.addCatalog(node, 'idrac-racadm-bios', { raw: await settingsText(path) });
}

/** The options that an action cannot do without. */
const needed: Readonly<Record<string, readonly string[]>> = {
  setBiosConfig: ['serverFilePath'],
  updateFirmware: ['serverFilePath'],
  resetComponents: ['components'],
  setIdracIP: ['ip', 'netMask', 'gateway'],
};

export default defineTask({
  injectableName: name,
  friendlyName: 'Run racadm',
  // A change of the BIOS or the firmware must not be begun twice.
  recovery: 'once',
  destructive: true,
  power: 'cycle',
  needs: [{ obm: 'any' }],
  optionsSchema,
  options: { forceReboot: true, timeoutSec: 3_600 },
  checkLaunch: async ({ options }) =>
    (needed[String(options.action)] ?? [])
      .filter((key) => (options as Record<string, unknown>)[key] === undefined)
      .map((key) => ({ path: key, message: `is missing; the action ${options.action} needs it` })),
  run: runAction,
});
