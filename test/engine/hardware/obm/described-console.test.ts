/** Which serial console a Redfish service describes. */
import test from 'ava';
import { describedConsole } from '../../../../engine/hardware/obm/described-console.ts';
import { NEVER } from '../../../support/ava/never.ts';

const describedBy = (resources: Record<string, Record<string, unknown>>, system?: string) =>
  describedConsole({ system, ask: async ({ path }) => resources[path] ?? {} }, NEVER);

const SYSTEM_PATH = '/redfish/v1/Systems/1';

test('the system says by which protocols there is a console, and at which port', async (t) => {
  const serial = {
    IPMI: { ServiceEnabled: true, Port: 6_230 },
    SSH: { ServiceEnabled: false },
    MaxConcurrentSessions: 1,
  };
  const resources = {
    '/redfish/v1/Systems': { Members: [{ '@odata.id': SYSTEM_PATH }] },
    [SYSTEM_PATH]: { SerialConsole: serial },
  };
  t.deepEqual(await describedBy(resources), { ipmiPort: 6_230, offers: ['IPMI'] });
  t.deepEqual(await describedBy({ [SYSTEM_PATH]: { SerialConsole: { IPMI: {} } } }, SYSTEM_PATH), {
    ipmiPort: 623,
    offers: ['IPMI'],
  });
});

test('a BMC that offers SSH only has no console over IPMI, and what it offers is known', async (t) => {
  const serial = { IPMI: { ServiceEnabled: false }, SSH: { ServiceEnabled: true, Port: 22 } };
  const found = await describedBy({ [SYSTEM_PATH]: { SerialConsole: serial } }, SYSTEM_PATH);
  t.deepEqual(found, { ipmiPort: undefined, offers: ['SSH'] });
});

test('an older service says it of its manager; one that says nothing offers nothing', async (t) => {
  const links = { ManagedBy: [{ '@odata.id': '/redfish/v1/Managers/1' }] };
  const serial = { ServiceEnabled: true, ConnectTypesSupported: ['SSH', 'IPMI'] };
  const resources = { [SYSTEM_PATH]: { Links: links }, '/redfish/v1/Managers/1': { SerialConsole: serial } };
  t.deepEqual(await describedBy(resources, SYSTEM_PATH), { ipmiPort: 623, offers: ['SSH', 'IPMI'] });
  t.deepEqual(await describedBy({ [SYSTEM_PATH]: {} }, SYSTEM_PATH), { ipmiPort: undefined, offers: [] });
});
