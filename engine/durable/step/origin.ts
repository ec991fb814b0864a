/** The origin of a step, for the history: the message that caused it, and the user who asked for it. */

import type { Cause, Origin } from '../../vocabulary/cause.ts';
import type { StartCommand, WorkflowMessage } from '../actors/messages.ts';
import type { Operation, WorkflowRow } from './row.ts';

/** The reason for a step: a message, or one of the engine itself. */
export type Trigger = WorkflowMessage | { type: 'launch' | 'suspended' | 'lost' };

export function stepOrigin(trigger: Trigger, row: WorkflowRow): Origin {
  switch (trigger.type) {
    case 'launch':
      return launchOrigin(row);
    case 'timer':
      return from('timer', null);
    case 'progress':
      return from('agent', trigger.taskId);
    case 'release':
      return from('engine', trigger.group);
    case 'work.done':
    case 'work.failed':
      return reportOrigin(trigger, row.operations[trigger.operation]);
    case 'work.claim':
    case 'command.send':
    case 'command.unsent':
      return from('activity', trigger.operation);
    case 'cancel':
      return trigger.by === undefined ? from('engine', null) : originOfUser(trigger.by);
    case 'pause':
    case 'resume':
    case 'retry-now':
    case 'unquarantine':
      return trigger.by === undefined ? from('user', null) : originOfUser(trigger.by);
    default:
      return from('engine', null);
  }
}

const from = (kind: Cause['kind'], ref: string | null): Origin => ({ cause: { kind, ref } });

const originOfUser = (by: string): Origin => ({ by, cause: { kind: 'user', ref: by } });

function launchOrigin({ parent, operator, discovery }: StartCommand): Origin {
  if (parent !== null) return from('engine', parent.workflow);
  return operator === null || discovery === true ? from('engine', null) : originOfUser(operator);
}

function reportOrigin(report: Extract<WorkflowMessage, { operation: string }>, operation: Operation | undefined) {
  if (report.type === 'work.done' && report.notification !== undefined)
    return from('notification', report.notification);
  if (operation?.kind === 'command' || operation?.kind === 'release') return from('agent', operation.id);
  if (operation?.kind === 'graph') return from('engine', operation.child);
  return from('activity', report.operation);
}
