/** Writes an archive that the daemon sends to a new file, which only its user can read. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../../engine/vocabulary/thrown-values.ts';
import { ARCHIVE_LIMIT_MS, type RequestParts } from '../client/requests.ts';
import type { RouteTypes } from '../client/route-types.ts';
import type { Client } from './client.ts';
import { CommandError, EXIT } from './exit-codes.ts';

/** @throws CommandError for a file that exists */
export async function writeArchive(
  client: Client,
  path: RouteTypes['path'],
  query: NonNullable<RequestParts['query']>,
  name: string,
): Promise<void> {
  const archive = await client.stream(path, { query }, {}, AbortSignal.timeout(ARCHIVE_LIMIT_MS));
  try {
    await pipeline(archive, createWriteStream(name, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new CommandError(`found ${name}; expected a new file`, EXIT.usage);
  }
}
