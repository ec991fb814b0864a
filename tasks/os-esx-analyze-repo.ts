/**
 * Reads the `boot.cfg` of an installation source of ESXi: the files that its installer boots.
 *
 * Output: `{ bootFiles: { kernel, modules } }`, paths below the source.
 */
import { defineTask, PermanentError, Type } from 'nodewright/define';

const LIMIT = 128 * 1024;
const TIMEOUT_MS = 30_000;
const FILE = /^[A-Za-z0-9._/-]{1,256}$/;

const optionsSchema = Type.Object(
  {
    version: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._+-]*$', maxLength: 64, description: 'Version.' }),
    repo: Type.String({
      pattern: '^https?://[A-Za-z0-9._~:/?#@!&()*+,;=%\\[\\]-]+$',
      maxLength: 1_024,
      description: 'URL of the installation source: the content of the ISO.',
    }),
  },
  { additionalProperties: false },
);

/** @throws PermanentError INSTALL_REFUSED */
function bootFilesIn(text: string): { kernel: string; modules: string[] } {
  const value = (key: string): string => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
  const nameOf = (path: string) => path.trim().replace(/^\/+/, '');
  const [kernel, modules] = [nameOf(value('kernel')), value('modules').split('---').map(nameOf)];
  const wrong = [kernel, ...modules].find((path) => !FILE.test(path));
  if (wrong === undefined) return { kernel, modules };
  const message = `boot.cfg has the file ${JSON.stringify(wrong.slice(0, 100))}; expected a path below the source`;
  throw new PermanentError(message, 'INSTALL_REFUSED');
}

async function bodyOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LIMIT) throw new PermanentError(`boot.cfg is longer than ${LIMIT} bytes`, 'INSTALL_REFUSED');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export default defineTask({
  injectableName: 'Task.Os.Esx.Analyze.Repo',
  friendlyName: 'Read the boot files of ESXi',
  // Reading changes nothing.
  recovery: 'idempotent',
  retry: { attempts: 3, delayMs: 2_000 },
  optionsSchema,
  run: async ({ input: { repo }, signal, services: { egress } }) => {
    egress.check(repo);
    // Loaded by the first request, as in Task.Run.Rest.Command.
    const { Agent, request } = await import('undici');
    const dispatcher = new Agent({
      connect: { lookup: egress.lookup },
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    try {
      const { statusCode, body } = await request(`${repo}/boot.cfg`, { dispatcher, signal });
      const text = await bodyOf(body);
      if (statusCode === 200) return { bootFiles: bootFilesIn(text) };
      throw new PermanentError(`${repo}/boot.cfg: the server answered ${statusCode}`, 'INSTALL_REFUSED');
    } finally {
      await dispatcher.destroy();
    }
  },
});
