/** /support: an archive about a workflow, a node or the daemon, without secrets. */

import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { Type } from 'typebox';
import type { Engine } from '../../engine/api-port/index.ts';
import { nodeNamed, noWorkflow, requireFound } from '../http/rejections.ts';
import { archiveAnswer, archiveReply } from '../http/replies.ts';
import { route } from '../http/route.ts';
import { type SupportSubject, supportParts } from './support-parts.ts';

const GZIP = 'application/gzip';

const supportQuery = Type.Object(
  {
    workflow: Type.Optional(Type.String({ minLength: 1, description: 'its id: it, those below it, and its node' })),
    node: Type.Optional(
      Type.String({ minLength: 1, description: 'its id, an identifier or a MAC: it, and its newest workflows' }),
    ),
  },
  { additionalProperties: false },
);

/** @throws NodewrightError NOT_FOUND */
async function subjectOf(engine: Engine, query: { workflow?: string; node?: string }): Promise<SupportSubject> {
  const { workflow: id, node: identifier } = query;
  const workflow = id === undefined ? undefined : requireFound(await engine.workflows.get(id), () => noWorkflow(id));
  if (identifier !== undefined) return { workflow, node: await nodeNamed(engine, identifier) };
  const node = workflow?.node;
  // It may have been deleted since.
  return { workflow, node: node ? await engine.nodes.find(node) : undefined };
}

/** Each part is made when the client has received the one before it. */
function archiveOf(engine: Engine, subject: SupportSubject) {
  const archive = pack();
  // The client is gone: an entry would wait for ever.
  const disconnect = new Promise<never>((_, reject) => archive.once('close', () => reject(new Error('closed'))));
  disconnect.catch(() => {});
  const add = ([name, text]: [string, string]) =>
    new Promise<void>((resolve, reject) => {
      archive.entry({ name, mode: 0o600 }, text, (error) => (error ? reject(error) : resolve()));
    });
  const write = async () => {
    for await (const part of supportParts(engine, subject)) await Promise.race([add(part), disconnect]);
    archive.finalize();
  };
  write().catch((error) => archive.destroy(error));
  return pipeline(archive, createGzip(), () => {});
}

export const supportRoute = route({
  id: 'getSupport',
  summary: 'Get an archive (tar.gz) about a workflow, a node or the daemon, without secrets',
  method: 'GET',
  path: '/support',
  resourceGroup: 'support',
  query: supportQuery,
  answer: archiveAnswer(GZIP),
  rejections: { 404: 'No such workflow or node' },
  handle: async ({ engine, query }) => {
    const subject = await subjectOf(engine, query);
    return archiveReply(archiveOf(engine, subject), GZIP, 'nodewright-support.tar.gz');
  },
});
