/** BIOS attributes of a ComputerSystem (DSP0266, 9.10; Bios, AttributeRegistry). */
import { PermanentError } from '../../define/index.ts';
import { isObject, listIn, objectIn, property } from '../../vocabulary/json.ts';
import { fieldOf } from '../../vocabulary/thrown-values.ts';
import { isBmcAway } from './look.ts';
import { type Ask, type Json, linkIn, membersOf, SERVICE_ROOT, unsupportedBy } from './service.ts';

type AttributeValue = string | number | boolean | null;
export type Attributes = Record<string, AttributeValue>;

export interface Bios {
  /** As the BMC answered it (Bios). */
  resource: Json;
  attributes: Json;
  /** Path of the resource that takes the values for the next restart. */
  settings: string;
  /** Values of `ApplyTime` that the settings take; empty: they take none. */
  applyTimes: readonly unknown[];
  /** Name of the registry that describes the attributes. */
  registry: string | undefined;
}

/** @param system path @throws ObmError OBM_UNSUPPORTED if the machine shows no BIOS attributes */
export async function biosOf(ask: Ask, system: string): Promise<Bios> {
  const path = linkIn((await ask({ method: 'GET', path: system })).Bios);
  if (path === undefined) throw unsupportedBy('the BMC shows no Bios of the system');
  const bios = await ask({ method: 'GET', path });
  if (!isObject(bios.Attributes)) throw unsupportedBy(`${path} of the BMC has no Attributes`);
  const annotation = objectIn(bios['@Redfish.Settings']);
  const { AttributeRegistry: registry } = bios;
  return {
    resource: bios,
    attributes: bios.Attributes,
    settings: linkIn(annotation.SettingsObject) ?? path,
    applyTimes: listIn(annotation.SupportedApplyTimes),
    registry: typeof registry === 'string' ? registry : undefined,
  };
}

/** Returns the attributes that do not have the wanted value. */
export const differingAttributes = (actual: Json, wanted: Attributes): Attributes =>
  Object.fromEntries(Object.entries(wanted).filter(([name, value]) => property(actual, name) !== value));

/** Returns the reasons why the BIOS would not take the values: by its registry, or by the values that it has. */
export async function rejectedValues(ask: Ask, { attributes, registry }: Bios, wanted: Attributes): Promise<string[]> {
  const isDescribed = registry !== undefined && Object.keys(wanted).length > 0;
  const described = isDescribed ? await attributesIn(ask, registry) : undefined;
  return Object.entries(wanted).flatMap(([name, value]) => {
    if (!Object.hasOwn(attributes, name))
      return [`${JSON.stringify(name)} is none of the ${Object.keys(attributes).length} attributes of this BIOS`];
    const wrong = rejectedBy(described?.get(name), value) ?? otherType(attributes[name], value);
    return wrong === undefined ? [] : [`${name}: ${wrong}`];
  });
}

function rejectedBy(entry: Json | undefined, value: AttributeValue): string | undefined {
  if (entry === undefined) return undefined;
  if (entry.ReadOnly === true) return 'is read-only';
  const actual = `found ${JSON.stringify(value)}`;
  if (entry.Type === 'Enumeration') {
    const names = listIn(entry.Value).map((each) => property(each, 'ValueName'));
    return names.length === 0 || names.includes(value) ? undefined : `${actual}, expected one of ${names.join(', ')}`;
  }
  if (entry.Type === 'Integer') {
    const { LowerBound: least, UpperBound: most } = entry;
    if (typeof value !== 'number' || !Number.isInteger(value)) return `${actual}, expected a whole number`;
    if (typeof least === 'number' && value < least) return `${actual}, expected ${least} at least`;
    return typeof most === 'number' && value > most ? `${actual}, expected ${most} at most` : undefined;
  }
  return undefined;
}

function otherType(before: unknown, value: AttributeValue): string | undefined {
  if (before === null || before === undefined || value === null || typeof before === typeof value) return undefined;
  return `found a ${typeof value}, expected a ${typeof before} such as ${JSON.stringify(before)}`;
}

/** @returns undefined if the BMC has not published the registry as JSON */
async function attributesIn(ask: Ask, registry: string): Promise<Map<string, Json> | undefined> {
  try {
    const uri = await uriOf(ask, registry);
    if (uri === undefined) return undefined;
    const { RegistryEntries: entries } = await ask({ method: 'GET', path: uri });
    const attributes = listIn(property(entries, 'Attributes')).filter(isObject);
    return new Map(attributes.map((each) => [String(each.AttributeName), each]));
  } catch (error) {
    // The registry only explains; the BIOS itself checks the values.
    if (isBmcAway(error) || fieldOf(error, 'status') === undefined) throw error;
    return undefined;
  }
}

async function uriOf(ask: Ask, registry: string): Promise<string | undefined> {
  const root = await ask({ method: 'GET', path: SERVICE_ROOT });
  const collection = linkIn(root.Registries);
  if (collection === undefined) return undefined;
  const files = await membersOf(ask, collection);
  const file = files.find(({ Registry: name, Id: id }) => name === registry || id === registry);
  const places = listIn(file?.Location);
  const english = places.find((each) => property(each, 'Language') === 'en') ?? places[0];
  const uri = property(english, 'Uri');
  return typeof uri === 'string' ? uri : undefined;
}

export const biosRejection = (reasons: readonly string[]) =>
  new PermanentError(`nothing was changed: ${reasons.join('; ')}`, 'BIOS_REJECTED');
