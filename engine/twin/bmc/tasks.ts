/** Tasks of a BMC and their monitors (TaskService; DSP0266, 13.6). */
import type { JsonObject } from '../../vocabulary/json.ts';
import type { UpdateTask } from '../machine-state.ts';
import type { BmcAsked, BmcRoute, BmcSaid } from './asked.ts';
import { collectionOf, enabledStatus, linkTo, ROOT_PATH, resourceOf, shownTime } from './documents.ts';

const SERVICE = `${ROOT_PATH}/TaskService`;
const TASKS = `${SERVICE}/Tasks`;
const MONITORS = `${SERVICE}/TaskMonitors`;

/** Of a task that a fault stops. */
const HANGING_PERCENT = 40;
/** Seconds until a client asks for a task again. */
const RETRY_AFTER = '5';

const states = { running: 'Running', succeeded: 'Completed', failed: 'Exception' } as const;
const messages = {
  running: { MessageId: 'TaskEvent.1.0.TaskProgressChanged', Message: 'The update is under way.', Severity: 'OK' },
  succeeded: { MessageId: 'Update.1.0.UpdateSuccessful', Message: 'The update was successful.', Severity: 'OK' },
  failed: { MessageId: 'Update.1.0.ApplyFailed', Message: 'The image could not be applied.', Severity: 'Critical' },
} as const;

const taskAt = ({ bmc, params }: BmcAsked): UpdateTask | undefined => bmc.tasks.find(({ id }) => id === params.id);

function percentOf({ fault, outcome, started, until }: UpdateTask, now: number): number {
  if (outcome !== 'running') return 100;
  const percent = Math.min(Math.floor((100 * (now - started)) / (until - started)), 99);
  return fault === 'hangs' ? Math.min(percent, HANGING_PERCENT) : percent;
}

function taskDocument(asked: BmcAsked, task: UpdateTask): JsonObject {
  const { outcome } = task;
  const { MessageId, Message, Severity } = messages[outcome];
  return resourceOf({ path: `${TASKS}/${task.id}` }, 'Task', `Update of ${task.components.join(', ')}`, {
    TaskState: states[outcome],
    TaskStatus: outcome === 'failed' ? 'Critical' : 'OK',
    PercentComplete: percentOf(task, asked.now),
    StartTime: shownTime(asked, task.started),
    ...(outcome !== 'running' && { EndTime: shownTime(asked, task.until) }),
    TaskMonitor: `${MONITORS}/${task.id}`,
    Messages: [{ MessageId, Message, MessageArgs: [], MessageSeverity: Severity, Resolution: 'None.' }],
  });
}

export const startedTask = (asked: BmcAsked, task: UpdateTask): BmcSaid => ({
  status: 202,
  headers: { Location: `${MONITORS}/${task.id}`, 'Retry-After': RETRY_AFTER },
  body: taskDocument(asked, task),
});

/** 202 until the task has ended. */
export function monitorStatus({ params, path, bmc }: Pick<BmcAsked, 'params' | 'path' | 'bmc'>): BmcSaid | undefined {
  if (!path.startsWith(`${MONITORS}/`)) return undefined;
  const isRunning = bmc.tasks.some(({ id, outcome }) => id === params.id && outcome === 'running');
  return isRunning ? { status: 202, headers: { Location: path, 'Retry-After': RETRY_AFTER } } : undefined;
}

const foundTask = (asked: BmcAsked): JsonObject => {
  const task = taskAt(asked);
  return task === undefined ? {} : taskDocument(asked, task);
};

export const taskRoutes: readonly BmcRoute[] = [
  {
    path: SERVICE,
    get: (asked) =>
      resourceOf(asked, 'TaskService', 'Task service', {
        ServiceEnabled: true,
        CompletedTaskOverWritePolicy: 'Oldest',
        DateTime: shownTime(asked, asked.now),
        Status: enabledStatus,
        Tasks: linkTo(TASKS),
      }),
  },
  {
    path: TASKS,
    get: (asked) =>
      collectionOf(
        asked,
        'Task',
        asked.bmc.tasks.map(({ id }) => id),
      ),
  },
  { path: `${TASKS}/:id`, has: (asked) => taskAt(asked) !== undefined, get: foundTask },
  { path: `${MONITORS}/:id`, has: (asked) => taskAt(asked) !== undefined, get: foundTask },
];
