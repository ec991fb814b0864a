/** The meaning of a wait, as a sentence for the user. */
import type { BmcEndpoint } from '../../api-port/index.ts';
import { isQuarantined } from '../../durable/step/quarantined.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import { isBoot, type OpenWait, sinceOf } from '../../durable/step/waits.ts';
import { ownerOf } from '../../platform/cluster/leases.ts';
import { countText } from '../../vocabulary/count-texts.ts';
import { property } from '../../vocabulary/json.ts';
import { stateWords } from '../../vocabulary/state-words.ts';
import type { WaitingOn } from '../../vocabulary/states.ts';

/** Facts that are not in the row. */
export interface WaitFacts {
  row: WorkflowRow;
  bmc: Pick<BmcEndpoint, 'address' | 'retryAt' | 'failures'> | null;
  agent: { lastSeenAt: string; address: string } | null;
  /** The reason why the child workflow itself waits, as a sentence. */
  below?: string | undefined;
  /** The file that the node last requested in vain. */
  failedFetch?: { at: string; file: string; message: string } | undefined;
}

/** Returns the process that began one of the activities. */
export function ownerIn(operations: OpenWait['operations']): string | undefined {
  const claim = operations.find((operation) => operation.claim !== undefined)?.claim;
  return claim && ownerOf(claim);
}

type Sentence = (wait: OpenWait, facts: WaitFacts) => string;

const sentences: Record<WaitingOn, Sentence> = {
  notification: ({ label, operations }, { row }) =>
    operations.some(({ input }) => property(input, 'callbackOnly') === true)
      ? `the callback of \`${label}\` has to be called; no other notification ends this wait`
      : `the node has to report: ${row.node === null ? 'POST /notification' : `POST /notification?nodeId=${row.node}`}, or the callback of \`${label}\``,
  timer: ({ label }) => `a timer of \`${label}\` runs`,
  retry: ({ entry }) =>
    `attempt ${entry?.attempts ?? 1}${ofMaximum(entry?.maxAttempts)} failed${lastError(entry?.attemptErrors)}; the next one waits for its time`,
  bmc: (_, { bmc }) =>
    bmc === null
      ? 'the BMC of the node did not answer, and no command is sent to it for some time'
      : `the BMC at ${bmc.address} gave no answer ${countText(bmc.failures, 'time')} in a row, and no command is sent to it${bmc.retryAt === null ? ' until the next attempt' : ` until ${bmc.retryAt}`}`,
  command: (_, { agent }) => `the agent on the node has not fetched its command${unseenText(agent)}`,
  release: (wait, { agent }) => {
    const { operations } = wait;
    if (isBoot(wait)) return `the node has to boot, and its agent to make its first request${unseenText(agent)}`;
    const groups = operations.flatMap((operation) => (operation.kind === 'release' ? [operation.input.group] : []));
    return `another task of the workflow has to release the group ${groups.join(', ') || 'of this one'}`;
  },
  child: ({ operations }, { below }) => {
    const child = operations.find((operation) => operation.kind === 'graph');
    if (child?.kind !== 'graph') return 'a child workflow has not ended';
    const waitText = `its child workflow ${child.child} of ${child.input.name} has not ended`;
    return below === undefined ? waitText : `${waitText}: ${below}`;
  },
  lease: ({ operations }) => {
    const owner = ownerIn(operations) ?? 'of a daemon';
    return `the process ${owner}, which began it, sends no heartbeats; when it is certainly dead, the task is taken over or ends as TASK_INTERRUPTED`;
  },
  paused: ({ label }, { row: { paused } }) =>
    `the workflow was paused${paused?.by ? ` by ${paused.by}` : ''}${paused ? ` at ${paused.at}` : ''}; \`${label}\` begins when it is resumed`,
  held: (_, { row }) =>
    `the workflow is ${isQuarantined(row) ? 'quarantined' : 'suspended'}: ${row.error?.message ?? 'no reason is known'}`,
  event: ({ label }) =>
    `the machine of \`${label}\` waits in a state without an operation or a timer; only its timeout ends that`,
};

/** The time at which it was last seen is beside the wait. */
const unseenText = (agent: WaitFacts['agent']): string =>
  agent === null ? '; no agent of this node was ever seen' : '';

const ofMaximum = (maximum: number | undefined): string => (maximum === undefined ? '' : ` of ${maximum}`);

function lastError(errors: readonly { code: string; message: string }[] | undefined): string {
  const last = errors?.at(-1);
  return last === undefined ? '' : ` with ${last.code} (${last.message})`;
}

/** @param waitingOn null: a task runs */
export function detailOf(wait: OpenWait, waitingOn: WaitingOn | null, facts: WaitFacts): string {
  if (waitingOn !== null) return inVain(wait, waitingOn, facts) + sentences[waitingOn](wait, facts);
  const { label, entry, operations } = wait;
  if (label === null) return `the graph waits in its state ${stateOf(facts.row)} for a timer`;
  const attempt = `attempt ${entry?.attempts ?? 1}${ofMaximum(entry?.maxAttempts)} of \`${label}\``;
  if (operations.some(({ aborting }) => aborting)) return `${attempt} is being stopped`;
  if (operations.some(({ kind }) => kind === 'command')) return `${attempt} runs a command on the node's agent`;
  const owner = ownerIn(operations);
  return `${attempt} runs${owner === undefined ? '' : ` in the process ${owner}`}`;
}

/** The waits that a node ends, after it has fetched its files. */
const ofNode: ReadonlySet<WaitingOn> = new Set(['notification', 'command', 'release']);

/** Returns the cause if the node has got an error instead of a file since the wait began; otherwise nothing. */
function inVain({ entry }: OpenWait, waitingOn: WaitingOn, { failedFetch }: WaitFacts): string {
  const since = entry === undefined ? null : sinceOf(entry);
  if (failedFetch === undefined || !ofNode.has(waitingOn) || since === null || failedFetch.at < since) return '';
  return `the node requested the ${failedFetch.file} at ${failedFetch.at} in vain (${failedFetch.message}); `;
}

const stateOf = ({ actors }: WorkflowRow): string => `\`${stateWords(actors.graph?.snapshot.value)}\``;
