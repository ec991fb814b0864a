/** The messages of a task of a BMC, of the registries `TaskEvent` and `Update`. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import type { UpdateTask } from '../machine/machine-state.ts';
import { baseMessage, messageInfo } from './registry-messages.ts';

const messages = {
  fetching: ['Update.1.0.TransferringToComponent', 'Image %1 is being transferred to %2.', 'OK'],
  running: ['TaskEvent.1.0.TaskProgressChanged', 'The change is under way.', 'OK'],
  pending: ['TaskEvent.1.0.TaskPaused', 'The change waits for a restart.', 'OK'],
  succeeded: ['TaskEvent.1.0.TaskCompletedOK', 'The change was successful.', 'OK'],
  failed: ['Update.1.0.ApplyFailed', 'Installation of image %1 to %2 failed.', 'Critical'],
  unfetched: ['Update.1.0.TransferFailed', 'Transfer of image %1 to %2 failed.', 'Critical'],
  foreign: ['Update.1.0.VerificationFailed', 'Verification of image %1 at %2 failed.', 'Critical'],
} as const;

/** An image that was not fetched has a second message, which says why. */
export function messagesOfTask({ outcome, problem, image, components }: UpdateTask): JsonObject[] {
  const { id: cause, words = [] } = problem ?? {};
  const isForeign = cause === 'ResourceAtUriInUnknownFormat';
  const [id, text, severity] = messages[isForeign ? 'foreign' : problem === undefined ? outcome : 'unfetched'];
  const places = text.includes('%1') ? [image, components.join(', ')] : [];
  const first = messageInfo({ id, text, severity, resolution: 'None.' }, places);
  return cause === undefined ? [first] : [first, baseMessage(cause, words, 'Critical')];
}
