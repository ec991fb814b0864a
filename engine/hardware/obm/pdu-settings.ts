/** The config of a `pdu-obm-service`: the outlets that feed a node, and the access to their PDUs, which is the same for all. */
import { type Static, Type } from 'typebox';
import { type PduModel, pduModels } from '../../define/node.ts';
import { validator } from '../../platform/validation/validator.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import { type OutletObjects, outletObjects } from './outlet-objects.ts';
import {
  needOutlets,
  type OutletOptions,
  outletOptions,
  outletOptionsOf,
  outletsOf,
  outletViolations,
} from './outlet-settings.ts';
import { host, port, settingText } from './setting-schemas.ts';
import { Snmp, type SnmpTarget, snmpOf, snmpViolations } from './snmp-settings.ts';

export const modelName = Type.Unsafe<PduModel>({ type: 'string', enum: [...pduModels] });
const { host: _, ...access } = Snmp.properties;

/** A number, or the whole index in the table of the MIB, such as `2.1.7` of the second PDU of a chain. */
const outlet = Type.Unsafe<string | number>({
  type: ['integer', 'string'],
  minimum: 1,
  maximum: 1_000,
  pattern: '^\\d{1,5}(\\.\\d{1,5}){0,3}$',
});

export const Outlets = outletsOf(
  Type.Object(
    { host, port: Type.Optional(port), model: Type.Optional(modelName), outlet },
    { additionalProperties: false },
  ),
);

export const Pdu = Type.Object({
  ...access,
  outlets: Outlets,
  /** That of the outlets that name none. */
  model: modelName,
  /** For commands of versions 1 and 2c; absent: the community of questions. */
  writeCommunity: Type.Optional(settingText),
  ...outletOptions,
});

type Config = Static<typeof Pdu>;

/** One outlet, and the accesses for questions and for commands. */
export interface Outlet {
  name: string;
  objects: OutletObjects;
  index: string;
  reads: SnmpTarget;
  writes: SnmpTarget;
}

interface PduSettings extends OutletOptions {
  outlets: Outlet[];
}

/** Returns what is wrong with the config; empty: the outlets can be asked. */
export function pduViolations(config: unknown): Violation[] {
  if (!validator.accepts(Pdu, config)) return validator.violations(Pdu, config);
  const { outlets } = config;
  return [...snmpViolations({ ...config, host: outlets[0]?.host }), ...outletViolations(outlets)];
}

/** @throws ObmError OBM_INVALID */
export function pduOf(config: JsonObject): PduSettings {
  needOutlets('pdu-obm-service', pduViolations(config));
  const { outlets, model, writeCommunity, offSec, bootsFromNetwork, ...others } = config as Config;
  const targetOf = ({ host: name, port: at }: Config['outlets'][number]): JsonObject => ({
    ...others,
    host: name,
    ...(at !== undefined && { port: at }),
  });
  return {
    ...outletOptionsOf({ offSec, bootsFromNetwork }),
    outlets: outlets.map((one) => {
      const target = targetOf(one);
      const { [one.model ?? model]: objects } = outletObjects;
      const number = String(one.outlet);
      return {
        name: `outlet ${number} of ${one.host}`,
        objects,
        index: number.includes('.') ? number : objects.prefix + number,
        reads: snmpOf(target),
        writes: snmpOf(writeCommunity === undefined ? target : { ...target, communityString: writeCommunity }),
      };
    }),
  };
}
