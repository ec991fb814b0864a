/** The pollers that a task of RackHD wants. The task leaves out kinds that there are not, but it needs one that there is. */
import { pollerKindsFor } from '../../../define/node.ts';
import { listIn, property } from '../../../vocabulary/json.ts';
import type { MissingJob, Task } from '../../types.ts';

export const createsPollers = ({ name, definition }: Task): boolean =>
  name === 'Task.Pollers.Create' || String(definition.implementsTask).startsWith('Task.Base.Pollers.');

/** @returns undefined if one of the pollers is known here, or none is wanted */
export function missingPollers({ name }: Task, wanted: unknown): MissingJob | undefined {
  const pollers = listIn(wanted);
  if (pollers.length === 0 || pollers.some(isKnownPoller)) return undefined;
  const kinds = pollers.map((poller) => `${property(poller, 'type')} ${commandOf(poller)}`);
  return { name: `${name} of the kind ${kinds[0]}`, why: 'there are no such pollers here' };
}

const commandOf = (poller: unknown): string => {
  const config = property(poller, 'config');
  return String(property(config, 'command') ?? property(config, 'metric'));
};

const isKnownPoller = (poller: unknown): boolean =>
  pollerKindsFor({ type: String(property(poller, 'type')), command: commandOf(poller) }).length > 0;
