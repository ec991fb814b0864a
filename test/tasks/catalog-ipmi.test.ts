/** The catalogs of a BMC that SKU rules need, made by the scripts of the collector of what ipmitool prints. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { initialTransition } from 'xstate';
import type { Command } from '../../engine/define/index.ts';
import { catalogOf } from '../../engine/inventory/agents/output-formats.ts';
import ipmi from '../../tasks/catalog-ipmi.ts';
import { folder } from '../support/ava/folder.ts';
import type { Scope } from '../support/ava/scope.ts';

const [{ context }] = initialTransition(ipmi.machine, { options: { timeoutSec: 60 }, nodeId: 'n', workflowId: 'w' });
const { commands } = context as { commands: Command[] };

/** Returns the catalog of a source where ipmitool prints the text. */
function catalogFrom(t: Scope, source: string, printed: string, exitCode = 0): unknown {
  const bin = folder(t);
  writeFileSync(join(bin, 'printed'), printed);
  writeFileSync(join(bin, 'ipmitool'), `#!/bin/sh\ncat '${bin}/printed'\nexit ${exitCode}\n`, { mode: 0o755 });
  const { command, catalog } = commands.find((each) => each.catalog?.source === source) as Command;
  const env = { PATH: `${bin}:${process.env.PATH ?? ''}` };
  const output = execFileSync('sh', ['-c', command], { env, encoding: 'utf8' });
  return catalogOf(catalog?.format ?? 'raw', output);
}

// With a device that does not answer, for which ipmitool fails at the end.
const fru = `FRU Device Description : Builtin FRU Device (ID 0)
 Chassis Type          : Rack Mount Chassis
 Board Mfg Date        : Tue Apr  8 01:48:00 2014
 Board Mfg             : DELL
 Board Part Number     : 0X3D66A02
 Product Name          : PowerEdge v2.0

FRU Device Description : PS1 Status (ID 1)
 Device not present (Requested sensor, data, or record not found)

FRU Device Description : Riser1.0 (ID 2)
 Board Extra           : a=b : c

`;

test('ipmi-fru has the fields of each device by its description, as rules of SKU packs name them', (t) => {
  t.deepEqual(catalogFrom(t, 'ipmi-fru', fru, 1), {
    'Builtin FRU Device (ID 0)': {
      'Chassis Type': 'Rack Mount Chassis',
      'Board Mfg Date': 'Tue Apr  8 01:48:00 2014',
      'Board Mfg': 'DELL',
      'Board Part Number': '0X3D66A02',
      'Product Name': 'PowerEdge v2.0',
    },
    'Riser1_0 (ID 2)': { 'Board Extra': 'a=b : c' },
  });
});

test('ipmi-user-list-1 has the users with names', (t) => {
  const printed = '1,,true,false,true,USER\n2,root,true,false,true,ADMINISTRATOR\n3,,true,false,false,Unknown (0x00)\n';
  t.deepEqual(catalogFrom(t, 'ipmi-user-list-1', printed), {
    2: { Name: 'root', 'IPMI Msg': 'true', 'Channel Priv Limit': 'ADMINISTRATOR' },
  });
});

test('a BMC without FRUs makes no catalog', (t) => {
  const { message } = t.throws(() => catalogFrom(t, 'ipmi-fru', ''));
  t.regex(message, /empty/);
});
