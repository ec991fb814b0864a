/** The messages of a BMC may quote the password of the request. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { ObmDrivers } from '../../../../engine/hardware/obm/obm-drivers.ts';
import { folder } from '../../../support/ava/folder.ts';
import { notRotating } from '../../../support/bmcs/drivers.ts';

const limits = { concurrency: 1, failures: 3, backoffMs: 1_000, timeoutMs: 10_000, cipherSuite: 3 };

test.serial('an error of a poll does not quote the password of the obm', async (t) => {
  const { PATH } = process.env;
  t.teardown(() => {
    process.env.PATH = PATH;
  });
  const tools = folder(t);
  writeFileSync(
    join(tools, 'ipmitool'),
    '#!/bin/sh\necho "Get SEL Info failed: no $IPMITOOL_PASSWORD here" >&2\nexit 1\n',
  );
  chmodSync(join(tools, 'ipmitool'), 0o755);
  process.env.PATH = `${tools}:${PATH}`;
  const config = async () => ({ host: '127.0.0.1', user: 'root', password: 'calvin-17' });
  const obms = new ObmDrivers(
    {
      obms: { config, services: async () => [], rotatingObms: notRotating },
      ibms: { config: async () => undefined },
      power: { note: async () => {} },
      lookups: { addressOf: async () => undefined },
    },
    limits,
    () => {},
  );
  const error = await t.throwsAsync(obms.logOf('n1', undefined, AbortSignal.timeout(20_000)));
  t.regex(error.message, /no REDACTED here/);
});
