/**
 * The operations of a BullMQ backend that the in-process one does not support: each rejects, and none does nothing. The
 * type check fails when BullMQ adds an operation that is neither here nor in `memory-backend.ts`.
 */
import { EventEmitter } from 'node:events';
import type { IQueueBackend } from 'bullmq';
import { NodewrightError } from '../../../vocabulary/errors.ts';

const UNSUPPORTED = [
  // Flows
  'addFlow',
  'forQueue',
  'getDependencies',
  'getDependencyCounts',
  'getIgnoredChildrenFailures',
  'getProcessedChildrenValues',
  'moveToWaitingChildren',
  'paginate',
  'parseNodeKey',
  'removeChildDependency',
  'removeUnprocessedChildren',
  // Retries, and jobs that are kept after they have ended
  'cleanJobsByState',
  'isFinished',
  'moveToDelayed',
  'retryFinishedJob',
  'retryFinishedJobs',
  'retryJob',
  // Changes to a job
  'addLog',
  'changeDelay',
  'changePriority',
  'clearLogs',
  'getJobLogs',
  'promote',
  'promoteJobs',
  'updateData',
  'updateProgress',
  // Deduplication, priorities, events, metrics
  'deleteDeduplicationKey',
  'getClientList',
  'getCountsPerPriority',
  'getDeduplicationJobId',
  'getMetrics',
  'publishEvent',
  'readEvents',
  'removeDeduplicationKey',
  'removeDeprecatedPriorityKey',
  'trimEvents',
  // Limits
  'getRateLimitTtl',
  'isMaxed',
  'removeRateLimitKey',
  'setRateLimit',
  // State that only users of BullMQ read
  'getJobScheduler',
  'getJobSchedulersCount',
  'getQueueMeta',
  'getQueueMetaField',
  'getQueueMetaFields',
  'getRanges',
  'getState',
  'hasQueueMetaField',
  'isJobInState',
  'removeQueueMetaFields',
  // Jobs that a program takes itself
  'extendLock',
  'moveJobFromActiveToWait',
  // Maintenance
  'disconnect',
  'drain',
  'removeOrphanedJobs',
  'setName',
] as const satisfies readonly (keyof IQueueBackend)[];

type UnsupportedCalls = Pick<IQueueBackend, (typeof UNSUPPORTED)[number]>;

export const unsupportedOperation = (operation: string): NodewrightError =>
  new NodewrightError(
    'INTERNAL',
    `BullMQ called ${operation}, which its in-process backend does not support; engine/platform/queue/README.md lists what it does`,
  );

class Rejecting extends EventEmitter {}

for (const operation of UNSUPPORTED) {
  Object.defineProperty(Rejecting.prototype, operation, {
    value: () => Promise.reject(unsupportedOperation(operation)),
  });
}

/** Has the operations above, which only their definition in the loop shows. */
export const RejectingBackend = Rejecting as unknown as new () => EventEmitter & UnsupportedCalls;
