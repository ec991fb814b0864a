/** The log lines about tokens of a provider that give no rights. */
import test from 'ava';
import { pino } from 'pino';
import { openProvider } from '../../../engine/assembly/provider.ts';
import { readConfig } from '../../../engine/platform/config/config.ts';
import { openIdFor, startSigningProvider } from '../../support/servers/signing-provider.ts';

test('the log has each reason of a burst of tokens once', async (t) => {
  const site = await startSigningProvider(t);
  const lines: { reason?: string }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const config = readConfig({}, '/nonexistent', { oidc: openIdFor(site.issuer) });
  const provider = openProvider(config, log);
  t.teardown(() => provider?.close());
  for (const claims of [{ aud: 'other' }, { aud: 'another' }, { groups: [] }, { aud: 'other' }, { groups: [] }])
    await provider?.verify(await site.token(claims));
  t.deepEqual(
    lines.flatMap(({ reason }) => reason ?? []),
    [
      'its aud is "other"; expected "nodewright"',
      'its aud is "another"; expected "nodewright"',
      'No group of this user has a role here (groups in the claim groups: 0)',
    ],
  );
});
