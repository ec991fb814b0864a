/** Tasks of a BMC and their monitors (TaskService; DSP0266, 13.6). */
import type { JsonObject } from '../../../vocabulary/json.ts';
import type { UpdateTask } from '../machine/machine-state.ts';
import type { BmcCall, BmcReply, BmcRoute } from './bmc-call.ts';
import { bmcTime, collectionOf, enabledStatus, linkTo, ROOT_PATH, resourceOf } from './documents.ts';
import { messagesOfTask } from './task-messages.ts';

const TASK_SERVICE = `${ROOT_PATH}/TaskService`;
const TASKS = `${TASK_SERVICE}/Tasks`;
const MONITORS = `${TASK_SERVICE}/TaskMonitors`;

/** Progress of a task that a fault stops. */
const HANGING_PERCENT = 40;
/** Seconds until a client asks for a task again. */
const RETRY_AFTER = '5';

const states = {
  fetching: 'Running',
  running: 'Running',
  pending: 'Pending',
  succeeded: 'Completed',
  failed: 'Exception',
} as const;
const titleOf = ({ volume, components }: UpdateTask): string =>
  volume === undefined ? `Update of ${components.join(', ')}` : 'Change of a volume';

const taskAt = ({ bmc, params }: BmcCall): UpdateTask | undefined => bmc.tasks.find(({ id }) => id === params.id);

const hasTaskEnded = ({ outcome }: UpdateTask): boolean => outcome === 'succeeded' || outcome === 'failed';

function percentOf(task: UpdateTask, now: number): number {
  const { fault, outcome, started, until } = task;
  if (hasTaskEnded(task)) return 100;
  if (outcome === 'pending' || outcome === 'fetching') return 0;
  const percent = Math.min(Math.floor((100 * (now - started)) / (until - started)), 99);
  return fault === 'hangs' ? Math.min(percent, HANGING_PERCENT) : percent;
}

function taskDocument(call: BmcCall, task: UpdateTask): JsonObject {
  const { outcome } = task;
  return resourceOf({ path: `${TASKS}/${task.id}` }, 'Task', titleOf(task), {
    TaskState: states[outcome],
    TaskStatus: outcome === 'failed' ? 'Critical' : 'OK',
    PercentComplete: percentOf(task, call.now),
    StartTime: bmcTime(call, task.started),
    ...(hasTaskEnded(task) && { EndTime: bmcTime(call, task.until) }),
    TaskMonitor: `${MONITORS}/${task.id}`,
    Messages: messagesOfTask(task),
  });
}

/** Tasks that a BMC remembers. */
const TASK_LIMIT = 20;

/** A BMC begins a task, and remembers the latest ones. */
export function beginTask({ bmc, now }: BmcCall, durationMs: number, facts: BegunTask): UpdateTask {
  bmc.lastId += 1;
  const task: UpdateTask = {
    id: String(bmc.lastId),
    started: now,
    until: now + durationMs,
    outcome: 'running',
    ...facts,
  };
  bmc.tasks = [...bmc.tasks, task].slice(-TASK_LIMIT);
  return task;
}

type BegunTask = Pick<UpdateTask, 'components' | 'image'> & Partial<UpdateTask>;

export const startedTask = (call: BmcCall, task: UpdateTask): BmcReply => ({
  status: 202,
  headers: { Location: `${MONITORS}/${task.id}`, 'Retry-After': RETRY_AFTER },
  body: taskDocument(call, task),
});

/** 202 until the task has ended. */
export function monitorStatus({ params, path, bmc }: Pick<BmcCall, 'params' | 'path' | 'bmc'>): BmcReply | undefined {
  if (!path.startsWith(`${MONITORS}/`)) return undefined;
  const isUnfinished = bmc.tasks.some((task) => task.id === params.id && !hasTaskEnded(task));
  return isUnfinished ? { status: 202, headers: { Location: path, 'Retry-After': RETRY_AFTER } } : undefined;
}

const foundTask = (call: BmcCall): JsonObject => {
  const task = taskAt(call);
  return task === undefined ? {} : taskDocument(call, task);
};

export const bmcTaskRoutes: readonly BmcRoute[] = [
  {
    path: TASK_SERVICE,
    get: (call) =>
      resourceOf(call, 'TaskService', 'Task service', {
        ServiceEnabled: true,
        CompletedTaskOverWritePolicy: 'Oldest',
        DateTime: bmcTime(call, call.now),
        Status: enabledStatus,
        Tasks: linkTo(TASKS),
      }),
  },
  {
    path: TASKS,
    get: (call) =>
      collectionOf(
        call,
        'Task',
        call.bmc.tasks.map(({ id }) => id),
      ),
  },
  { path: `${TASKS}/:id`, has: (call) => taskAt(call) !== undefined, get: foundTask },
  { path: `${MONITORS}/:id`, has: (call) => taskAt(call) !== undefined, get: foundTask },
];
