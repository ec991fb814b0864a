/** Addresses of other systems that commands talk to, and the files that belong to them. */
import { readFileSync } from 'node:fs';
import { messageOf } from '../../engine/vocabulary/thrown-values.ts';
import { CommandError, EXIT } from './exit-codes.ts';

export const usageError = (sentence: string) => new CommandError(sentence, EXIT.usage);

/** @param system such as `NetBox` @param expected where the URL is given @throws CommandError for one that is none, without quoting a password in it */
export function checkRemoteUrl(text: string, system: string, expected: string): void {
  if (/^https?:\/\/[^/@?#\s]+(?:\/[^?#\s]*)?$/.test(text) && URL.canParse(text)) return;
  const quotedUrl = JSON.stringify(text.replace(/\/\/[^/]*@/, '//REDACTED@'));
  throw usageError(`found the URL ${quotedUrl} of ${system}; expected ${expected}`);
}

/** @throws CommandError */
export function fileText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw usageError(`${file}: ${messageOf(error)}; expected a file that this user can read`);
  }
}

/** The origin of the console, for links. @throws CommandError */
export function consoleOrigin(address: string): string {
  const origin = URL.canParse(address) ? new URL(address).origin : '';
  if (/^https?:/.test(origin)) return origin;
  throw usageError(`found the address ${address} of the console; expected https://...`);
}
