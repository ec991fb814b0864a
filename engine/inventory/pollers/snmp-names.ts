/** Object identifiers by the names of the MIBs that come with net-snmp. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type Snmp from 'net-snmp';
import { ObmError } from '../../define/obm.ts';
import { packagePath } from '../../vocabulary/package-path.ts';

/** Loaded besides the base modules, in this order: the second imports from the first. */
const MODULES = ['IANAifType-MIB', 'IF-MIB'];

type Translate = (name: string) => string;

/** Parsing takes half a second, once in a process, and only where a poller has names. */
let loaded: Translate | undefined;

function translator(snmp: typeof Snmp): Translate {
  const store = snmp.createModuleStore();
  const folder = join(dirname(createRequire(packagePath('package.json')).resolve('net-snmp')), 'lib', 'mibs');
  for (const name of MODULES) store.loadFromFile(join(folder, `${name}.mib`));
  return (name) => store.translate(name, snmp.OidFormat.oid);
}

/** Returns the object identifier of a name such as `IF-MIB::ifSpeed` or `IF-MIB::ifSpeed.1`. @throws ObmError OBM_INVALID */
export function numberOf(name: string, snmp: typeof Snmp): string {
  const plain = name.replace(/^\./, '');
  if (/^\d+(\.\d+)+$/.test(plain)) return plain;
  const [, object = '', instance = ''] = /^(.*?)((?:\.\d+)*)$/.exec(plain) ?? [];
  loaded ??= translator(snmp);
  try {
    return loaded(object) + instance;
  } catch {
    const advice = 'give its numbers, or a name of IF-MIB, SNMPv2-MIB or RFC1213-MIB, such as IF-MIB::ifSpeed';
    throw new ObmError('OBM_INVALID', `the object ${name} is in no MIB that the daemon has; ${advice}`, {
      retry: false,
    });
  }
}
