/**
 * A journal entry of the device for each workflow that has ended on its node. The entry names the workflow: before one is written, those with
 * this id are looked for, so a push that ended in the middle writes none twice.
 */

import type { Client } from '../client.ts';
import { wholeList } from '../whole-list.ts';
import { workflowPage } from '../workflow-page.ts';
import { cleanText, linkedDevice } from './device-records.ts';
import type { NetBox } from './netbox-client.ts';
import { LAST_WORKFLOW_FIELDS, type LastWorkflow } from './push-values.ts';
import { portions } from './read-devices.ts';
import type { SiteNode } from './site-nodes.ts';

const kinds: Readonly<Record<string, string>> = { succeeded: 'success', failed: 'danger', cancelled: 'warning' };

/** @param since ISO 8601: workflows that ended before have no entry @returns the number of written entries */
export async function writeJournal(
  client: Client,
  netBox: NetBox,
  nodes: readonly SiteNode[],
  { since, origin, signal }: { since: string; origin: string; signal: AbortSignal },
): Promise<number> {
  const devices = new Map(nodes.map((node) => [node.id, linkedDevice(node)]));
  const linked = nodes.filter(({ id }) => devices.get(id) !== undefined);
  let written = 0;
  for (const some of portions(linked)) {
    const ended = { node: some.map(({ id }) => id).join(','), root: 'null', active: false, 'finishedAt.gte': since };
    const { body } = await wholeList((query) =>
      client.get('/workflows', { query: { ...query, ...ended, sort: 'finishedAt', fields: LAST_WORKFLOW_FIELDS } }),
    );
    for (const workflow of body) {
      signal.throwIfAborted();
      const device = devices.get(workflow.node ?? '');
      if (device !== undefined && (await writeEntry(netBox, device, workflow, origin))) written += 1;
    }
  }
  return written;
}

async function writeEntry(netBox: NetBox, device: number, workflow: LastWorkflow, origin: string): Promise<boolean> {
  const about = { assigned_object_type: 'dcim.device', assigned_object_id: device };
  const query = [
    ['assigned_object_type', 'dcim.device'],
    ['assigned_object_id', String(device)],
    ['q', workflow.id],
  ] as const;
  if ((await netBox.list('extras/journal-entries/', query)).length > 0) return false;
  await netBox.post('extras/journal-entries/', {
    ...about,
    kind: kinds[workflow.status] ?? 'info',
    comments: commentsOf(workflow, origin),
  });
  return true;
}

/** NetBox shows it as Markdown. */
function commentsOf({ id, injectableName, status, error }: LastWorkflow, origin: string): string {
  const reason = error === null ? '' : `: \`${cleanText(error.code)}\` ${plainMarkdown(cleanText(error.message))}`;
  return `Workflow [\`${injectableName.replaceAll('`', '')}\`](${workflowPage(origin, id)}) ${status}${reason}`;
}

/** Escapes what Markdown and HTML would show otherwise than as written. */
const plainMarkdown = (text: string): string => text.replace(/[\\`*_{}[\]()#+!|<>~&]/g, (mark) => `\\${mark}`);
