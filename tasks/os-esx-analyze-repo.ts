/**
 * Reads the `boot.cfg` of an installation source of ESXi: the files that its installer boots.
 *
 * Output: `{ bootFiles: { kernel, modules } }`, paths below the source.
 */
import { defineTask, PermanentError, Type } from 'nodewright/define';
import { exchange } from '../engine/hardware/rest/exchange.ts';

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

/** @throws PermanentError INSTALL_REJECTED */
function bootFilesIn(text: string): { kernel: string; modules: string[] } {
  const value = (key: string): string => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
  const nameOf = (path: string) => path.trim().replace(/^\/+/, '');
  const [kernel, modules] = [nameOf(value('kernel')), value('modules').split('---').map(nameOf)];
  const wrong = [kernel, ...modules].find((path) => !FILE.test(path));
  if (wrong === undefined) return { kernel, modules };
  const message = `boot.cfg has the file ${JSON.stringify(wrong.slice(0, 100))}; expected a path below the source`;
  throw new PermanentError(message, 'INSTALL_REJECTED');
}

/** An answer that the source should not give is the fault of the request for an installation. */
function rejectInstall(url: string, error: Error): never {
  if (!(error instanceof PermanentError) || !error.code.startsWith('REST_')) throw error;
  throw new PermanentError(`${url}: ${error.message}`, 'INSTALL_REJECTED');
}

export default defineTask({
  injectableName: 'Task.Os.Esx.Analyze.Repo',
  friendlyName: 'Read the boot files of ESXi',
  // Reading changes nothing.
  recovery: 'idempotent',
  retry: { attempts: 3, delayMs: 2_000 },
  optionsSchema,
  run: async (scope) => {
    const { repo } = scope.input;
    const input = { url: `${repo}/boot.cfg`, method: 'GET' as const, acceptedStatusCodes: [200] };
    const { body } = await exchange({ ...scope, input }).catch((error) => rejectInstall(input.url, error));
    return { bootFiles: bootFilesIn(String(body)) };
  },
});
