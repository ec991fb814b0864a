/** The user of a demo, and a token for the command line: made once, and the same at each start. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../engine/vocabulary/thrown-values.ts';
import { ApiError } from '../api-error.ts';
import { Client } from '../client.ts';

export interface DemoAccess {
  user: string;
  password: string;
  /** The file with the token. */
  tokenFile: string;
  token: string;
}

const USER = 'demo';
const NOTE = 'the command line of the demo';

/** @param url of the daemon, which may have no user yet */
export async function openAccess(folder: string, url: string): Promise<DemoAccess> {
  const password = await keptText(join(folder, 'password'), async () => randomBytes(9).toString('base64url'));
  const anyone = new Client({ url, token: undefined, ca: undefined });
  try {
    const body = { username: USER, password, role: 'Administrator' };
    await anyone.post('/users', { body }).catch((error: unknown) => {
      // It exists, so creating one needs a token.
      if (!(error instanceof ApiError) || ![401, 409].includes(error.status)) throw error;
    });
    const tokenFile = join(folder, 'token');
    const token = await keptText(tokenFile, () => newToken(anyone, url, password));
    return { user: USER, password, tokenFile, token };
  } finally {
    await anyone.close();
  }
}

async function newToken(anyone: Client, url: string, password: string): Promise<string> {
  const login = await anyone.post('/login', { body: { username: USER, password } });
  const client = new Client({ url, token: login.body.token, ca: undefined });
  try {
    const { body } = await client.post('/users/:name/tokens', { params: { name: USER }, body: { note: NOTE } });
    return body.token;
  } finally {
    await client.close();
  }
}

/** Returns the text of the file; makes it if it is absent. */
async function keptText(file: string, make: () => Promise<string>): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  const text = await make();
  await writeFile(file, `${text}\n`, { mode: 0o600 });
  return text;
}
