/** A launch whose graph, node and options are known, but not checked yet. */
import type { StartCommand } from '../actors/messages.ts';
import type { JsonObject } from '../define/json.ts';

export interface CheckedLaunch
  extends Pick<StartCommand, 'node' | 'mailboxId' | 'operator' | 'discovery' | 'parent' | 'root' | 'depth'> {
  /** Id of the workflow. */
  id: string;
  /** Name of the graph. */
  name: string;
  options: JsonObject;
  domain: string | undefined;
}
