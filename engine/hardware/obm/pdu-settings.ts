/** The config of a `pdu-obm-service`: the outlets that feed a node, and the access to their PDUs, which is the same for all. */
import { type Static, Type } from 'typebox';
import { isNoAddress } from '../../define/address.ts';
import { type PduModel, pduModels } from '../../define/node.ts';
import { ObmError } from '../../define/obm.ts';
import { validator } from '../../platform/validation/validator.ts';
import { sentenceOf, type Violation } from '../../vocabulary/errors.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import { SECOND_MS } from '../../vocabulary/units.ts';
import { type OutletObjects, outletObjects } from './outlet-objects.ts';
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

/** No key of an outlet is secret. */
export const Outlets = Type.Array(
  Type.Object(
    { host, port: Type.Optional(port), model: Type.Optional(modelName), outlet },
    { additionalProperties: false },
  ),
  { minItems: 1, maxItems: 8 },
);

export const Pdu = Type.Object({
  ...access,
  outlets: Outlets,
  /** That of the outlets that name none. */
  model: modelName,
  /** For commands of versions 1 and 2c; absent: the community of questions. */
  writeCommunity: Type.Optional(settingText),
  /** Seconds without power before the outlets are switched on. */
  offSec: Type.Optional(Type.Integer({ minimum: 0, maximum: 300 })),
  /** The machine always boots from the network first: boot orders are accepted, and nothing is sent. */
  bootsFromNetwork: Type.Optional(Type.Boolean()),
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

export interface PduSettings {
  outlets: Outlet[];
  offMs: number;
  bootsFromNetwork: boolean;
}

/** Returns what is wrong with the config; empty: the outlets can be asked. */
export function pduViolations(config: unknown): Violation[] {
  if (!validator.accepts(Pdu, config)) return validator.violations(Pdu, config);
  const { outlets } = config;
  const twice = outlets.findIndex((one, at) => outlets.slice(0, at).some((other) => isSame(one, other)));
  return [
    ...snmpViolations({ ...config, host: outlets[0]?.host }),
    ...outlets.flatMap(({ host: name }, at) => hostViolations(`outlets.${at}.host`, name)),
    ...(twice < 0 ? [] : [{ path: `outlets.${twice}`, message: 'is in the list twice' }]),
  ];
}

const hostViolations = (path: string, name: string): Violation[] =>
  isNoAddress(name) ? [{ path, message: `found ${name}; expected a name or an address` }] : [];

const isSame = (one: Config['outlets'][number], other: Config['outlets'][number]): boolean =>
  one.host === other.host && one.port === other.port && String(one.outlet) === String(other.outlet);

/** @throws ObmError OBM_INVALID */
export function pduOf(config: JsonObject): PduSettings {
  const violations = pduViolations(config);
  if (violations.length > 0) {
    const problem = violations.map(sentenceOf).join('; ');
    throw new ObmError('OBM_INVALID', `the node's pdu-obm-service cannot be used: ${problem}; put it again`, {
      retry: false,
    });
  }
  const { outlets, model, writeCommunity, offSec = 10, bootsFromNetwork = false, ...others } = config as Config;
  const targetOf = ({ host: name, port: at }: Config['outlets'][number]): JsonObject => ({
    ...others,
    host: name,
    ...(at !== undefined && { port: at }),
  });
  return {
    offMs: offSec * SECOND_MS,
    bootsFromNetwork,
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
