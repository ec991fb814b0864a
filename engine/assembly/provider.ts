/** Opens the provider of OpenID Connect that the configuration names. */
import type { Logger } from 'pino';
import type { Config } from '../platform/config/config.ts';
import { DistinctNotes } from '../platform/lib/distinct-notes.ts';
import { OpenIdProvider } from '../platform/openid/provider.ts';
import { NodewrightError } from '../vocabulary/errors.ts';
import { messageOf } from '../vocabulary/thrown-values.ts';

/** Between two notes of tokens that give no rights for the same reason, and how many reasons are noted in that time. */
const NOTES = { pauseMs: 10_000, reasons: 20 };

/** @throws NodewrightError CONFIG_INVALID if the file with its authority cannot be read */
export function openProvider({ oidc, role }: Config, log: Logger) {
  if (oidc === undefined || role === 'worker') return undefined;
  const { issuer } = oidc;
  const without = oidc.localUsers ? 'local users can' : 'no user can';
  const provider = openedProvider(() => new OpenIdProvider(oidc, report, noteRejected));
  // Every token can be made up: a flood of them must not fill the log.
  const notes = new DistinctNotes(NOTES.pauseMs, NOTES.reasons);
  function noteRejected(reason: string): void {
    const omitted = notes.take(reason);
    if (omitted === undefined) return;
    const more = omitted > 0 ? { omitted } : {};
    log.warn({ issuer, reason, ...more }, 'an access token of an OpenID provider gives no rights');
  }
  function report(problem: unknown): void {
    if (problem === undefined) log.info({ issuer }, 'the OpenID provider answers again');
    else log.warn({ err: problem, issuer }, `the OpenID provider does not answer; until it does, ${without} log in`);
  }
  // Its absence is reported, and ends with the first request after its return.
  void provider.open().catch(() => {});
  return provider;
}

function openedProvider(open: () => OpenIdProvider): OpenIdProvider {
  try {
    return open();
  } catch (error) {
    throw new NodewrightError('CONFIG_INVALID', `configuration: oidc.ca cannot be read: ${messageOf(error)}`);
  }
}
