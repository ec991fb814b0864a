/** The catalogs of a switch or a PDU, from the objects of its SNMP agent. Pure. */
import { nameOfObject, type SnmpColumn, snmpColumns } from './snmp-objects.ts';

/** Values by the instance of their object: `0`, an index, or several numbers. */
type ColumnValues = ReadonlyMap<string, string>;
export type SnmpColumns = ReadonlyMap<SnmpColumn, ColumnValues>;

export interface SnmpInventory {
  /** As RackHD names them: `IF-MIB::ifPhysAddress_2`. */
  'snmp-1': Record<string, string>;
  snmp: {
    system: Record<string, string>;
    interfaces: object[];
    neighbors: object[];
    parts: object[];
  };
}

/** @param trees for each column, in their order: values by object identifier */
export function columnsOf(trees: readonly Readonly<Record<string, string>>[]): SnmpColumns {
  return new Map(
    Object.entries(snmpColumns).map(([name, oid], at) => {
      const values = Object.entries(trees[at] ?? {}).map(([full, text]) => [full.slice(oid.length + 1), text] as const);
      return [name as SnmpColumn, new Map(values)];
    }),
  );
}

export function snmpInventory(columns: SnmpColumns): SnmpInventory {
  const named = [...columns].flatMap(([name, values]) =>
    [...values].map(([instance, text]) => {
      const value = name === 'SNMPv2-MIB::sysObjectID' ? nameOfObject(text) : text;
      return [`${name}_${instance.replaceAll('.', '_')}`, value] as const;
    }),
  );
  return { 'snmp-1': Object.fromEntries(named), snmp: describedSwitch(columns) };
}

type Fields = Readonly<Record<string, SnmpColumn>>;

const systemFields: Fields = {
  description: 'SNMPv2-MIB::sysDescr',
  objectId: 'SNMPv2-MIB::sysObjectID',
  name: 'SNMPv2-MIB::sysName',
  contact: 'SNMPv2-MIB::sysContact',
  location: 'SNMPv2-MIB::sysLocation',
};
const interfaceFields: Fields = {
  name: 'IF-MIB::ifName',
  description: 'IF-MIB::ifDescr',
  alias: 'IF-MIB::ifAlias',
  mac: 'IF-MIB::ifPhysAddress',
};
const neighborFields: Fields = {
  system: 'LLDP-MIB::lldpRemSysName',
  chassis: 'LLDP-MIB::lldpRemChassisId',
  portId: 'LLDP-MIB::lldpRemPortId',
  portDescription: 'LLDP-MIB::lldpRemPortDesc',
};
const partFields: Fields = {
  description: 'ENTITY-MIB::entPhysicalDescr',
  name: 'ENTITY-MIB::entPhysicalName',
  manufacturer: 'ENTITY-MIB::entPhysicalMfgName',
  model: 'ENTITY-MIB::entPhysicalModelName',
  serialNumber: 'ENTITY-MIB::entPhysicalSerialNum',
  software: 'ENTITY-MIB::entPhysicalSoftwareRev',
};

function describedSwitch(columns: SnmpColumns): SnmpInventory['snmp'] {
  const at = (column: SnmpColumn, instance: string) => columns.get(column)?.get(instance);
  const row = (fields: Fields, instance: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, column]) => {
        const text = at(column, instance);
        return text === undefined || text === '' ? [] : [[name, text]];
      }),
    );
  const instances = (column: SnmpColumn) => [...(columns.get(column)?.keys() ?? [])];
  return {
    system: row(systemFields, '0'),
    interfaces: instances('IF-MIB::ifDescr').map((index) => ({
      index: Number(index),
      ...row(interfaceFields, index),
      ...speedOf(at('IF-MIB::ifHighSpeed', index)),
      isEnabled: at('IF-MIB::ifAdminStatus', index) === '1',
      isUp: at('IF-MIB::ifOperStatus', index) === '1',
    })),
    // Their instances are a time, the number of the port, and a number.
    neighbors: instances('LLDP-MIB::lldpRemChassisId').map((instance) => {
      const number = instance.split('.')[1] ?? '';
      return { port: at('LLDP-MIB::lldpLocPortId', number) ?? number, ...row(neighborFields, instance) };
    }),
    parts: instances('ENTITY-MIB::entPhysicalDescr').map((index) => ({
      index: Number(index),
      ...row(partFields, index),
    })),
  };
}

const speedOf = (mbps: string | undefined) => (mbps === undefined ? {} : { speedMbps: Number(mbps) });
