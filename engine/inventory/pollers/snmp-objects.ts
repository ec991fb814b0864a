/** The objects of switches and PDUs that make their catalogs. */

const [SYSTEM, INTERFACES, MORE] = ['1.3.6.1.2.1.1', '1.3.6.1.2.1.2.2.1', '1.3.6.1.2.1.31.1.1.1'];
const [LLDP, PARTS] = ['1.0.8802.1.1.2.1', '1.3.6.1.2.1.47.1.1.1.1'];

/** By name, without the time since the start: it would be another catalog each time. */
export const snmpColumns = {
  'SNMPv2-MIB::sysDescr': `${SYSTEM}.1`,
  'SNMPv2-MIB::sysObjectID': `${SYSTEM}.2`,
  'SNMPv2-MIB::sysContact': `${SYSTEM}.4`,
  'SNMPv2-MIB::sysName': `${SYSTEM}.5`,
  'SNMPv2-MIB::sysLocation': `${SYSTEM}.6`,
  'IF-MIB::ifDescr': `${INTERFACES}.2`,
  'IF-MIB::ifType': `${INTERFACES}.3`,
  'IF-MIB::ifMtu': `${INTERFACES}.4`,
  'IF-MIB::ifPhysAddress': `${INTERFACES}.6`,
  'IF-MIB::ifAdminStatus': `${INTERFACES}.7`,
  'IF-MIB::ifOperStatus': `${INTERFACES}.8`,
  'IF-MIB::ifName': `${MORE}.1`,
  'IF-MIB::ifHighSpeed': `${MORE}.15`,
  'IF-MIB::ifAlias': `${MORE}.18`,
  'LLDP-MIB::lldpLocPortId': `${LLDP}.3.7.1.3`,
  'LLDP-MIB::lldpRemChassisId': `${LLDP}.4.1.1.5`,
  'LLDP-MIB::lldpRemPortId': `${LLDP}.4.1.1.7`,
  'LLDP-MIB::lldpRemPortDesc': `${LLDP}.4.1.1.8`,
  'LLDP-MIB::lldpRemSysName': `${LLDP}.4.1.1.9`,
  'ENTITY-MIB::entPhysicalDescr': `${PARTS}.2`,
  'ENTITY-MIB::entPhysicalName': `${PARTS}.7`,
  'ENTITY-MIB::entPhysicalSoftwareRev': `${PARTS}.10`,
  'ENTITY-MIB::entPhysicalSerialNum': `${PARTS}.11`,
  'ENTITY-MIB::entPhysicalMfgName': `${PARTS}.12`,
  'ENTITY-MIB::entPhysicalModelName': `${PARTS}.13`,
} as const;

export type SnmpColumn = keyof typeof snmpColumns;

const ENTERPRISES = '1.3.6.1.4.1';
/** Objects of the vendors whose MIBs RackHD has. */
const vendorObjects = { 'HAWK-I2-MIB::hawki2MIB': `${ENTERPRISES}.3711.24` };

/** @returns the name that rules of RackHD have for a product: that of its MIB, or its number below `enterprises` */
export function nameOfObject(oid: string): string {
  for (const [name, base] of [...Object.entries(vendorObjects), ['SNMPv2-SMI::enterprises', ENTERPRISES] as const]) {
    if (oid === base || oid.startsWith(`${base}.`)) return name + oid.slice(base.length);
  }
  return oid;
}
