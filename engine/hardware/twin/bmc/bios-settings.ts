/** BIOS attributes, what is set for the next reset, and the registry that describes them. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import type { AttributeValue } from '../machine/machine-state.ts';
import type { Model } from '../machine/model.ts';
import type { BmcCall, BmcReply, BmcRoute } from './bmc-call.ts';
import { badRequest } from './bmc-rejection.ts';
import { linkTo, noContent, ROOT_PATH, resourceOf, systemPath } from './documents.ts';
import { BodyFields, wrongType } from './fields.ts';
import { typeOf } from './schema-versions.ts';
import { BIOS_REGISTRY, BIOS_REGISTRY_PATH } from './service-root.ts';

const BIOS = `${ROOT_PATH}/Systems/:system/Bios`;

type Attribute = Model['bios']['attributes'][number];

function attributesOf({ model, bmc, machine }: BmcCall): Record<string, AttributeValue> {
  const usual = model.bios.attributes.map(({ name, value }) => [name, value] as const);
  const serial = model.bios.attributes.filter(({ isReadOnly, value }) => isReadOnly === true && value === '');
  return {
    ...Object.fromEntries(usual),
    ...Object.fromEntries(serial.map(({ name }) => [name, machine.facts.serial])),
    ...bmc.bios,
  };
}

const settingsPath = (call: BmcCall): string => `${systemPath(call)}/Bios/${call.model.tree.biosSettings}`;

const biosDocument = (call: BmcCall): JsonObject =>
  resourceOf(call, 'Bios', 'BIOS', {
    AttributeRegistry: BIOS_REGISTRY,
    Attributes: attributesOf(call),
    '@Redfish.Settings': {
      '@odata.type': '#Settings.v1_3_5.Settings',
      SettingsObject: linkTo(settingsPath(call)),
      SupportedApplyTimes: ['OnReset'],
    },
    Actions: { '#Bios.ResetBios': { target: `${systemPath(call)}/Bios/Actions/Bios.ResetBios` } },
  });

const settingsDocument = (call: BmcCall): JsonObject =>
  resourceOf(call, 'Bios', 'BIOS of the next reset', {
    AttributeRegistry: BIOS_REGISTRY,
    Attributes: call.bmc.pendingBios,
  });

/** @throws BmcRejection 400 */
function checkValue(attribute: Attribute | undefined, name: string, value: unknown): AttributeValue {
  if (attribute === undefined) throw badRequest('PropertyUnknown', name.slice(0, 80));
  if (attribute.isReadOnly === true) throw badRequest('PropertyNotWritable', name);
  const { values, lowest = -(2 ** 31), highest = 2 ** 31 } = attribute;
  if (typeof value !== typeof attribute.value) throw wrongType(name, value);
  if (values !== undefined && !values.some((each) => each === value))
    throw badRequest('PropertyValueNotInList', JSON.stringify(value).slice(0, 80), name);
  if (typeof value === 'number' && (!Number.isInteger(value) || value < lowest || value > highest))
    throw badRequest('PropertyValueOutOfRange', String(value), name);
  if (typeof value === 'string' && value.length > 256) throw badRequest('PropertyValueOutOfRange', name, name);
  return value as AttributeValue;
}

async function changeSettings(call: BmcCall): Promise<BmcReply> {
  const { body, bmc, machine, model } = call;
  const wanted = new BodyFields(body, ['Attributes']).object('Attributes');
  const attributeNamed = (name: string) => model.bios.attributes.find((each) => each.name === name);
  const pending = Object.entries(wanted).map(
    ([name, value]) => [name, checkValue(attributeNamed(name), name, value)] as const,
  );
  bmc.pendingBios = { ...bmc.pendingBios, ...Object.fromEntries(pending) };
  await machine.save();
  return { status: 200, body: settingsDocument(call) };
}

async function resetBios({ bmc, machine, model }: BmcCall): Promise<BmcReply> {
  const changed = model.bios.attributes.filter(({ name }) => Object.hasOwn(bmc.bios, name));
  bmc.pendingBios = Object.fromEntries(changed.map(({ name, value }) => [name, value]));
  await machine.save();
  return noContent;
}

function registryEntry({ name, value, values, lowest, highest, isReadOnly }: Attribute): JsonObject {
  const kinds = { string: 'String', number: 'Integer', boolean: 'Boolean' } as const;
  return {
    AttributeName: name,
    DisplayName: name,
    Type: values === undefined ? kinds[typeof value as keyof typeof kinds] : 'Enumeration',
    ...(values !== undefined && {
      Value: values.map((each) => ({ ValueName: each, ValueDisplayName: each })),
    }),
    ...(lowest !== undefined && { LowerBound: lowest }),
    ...(highest !== undefined && { UpperBound: highest }),
    ...(typeof value === 'string' && values === undefined && { MinLength: 0, MaxLength: 256 }),
    DefaultValue: value,
    ReadOnly: isReadOnly === true,
    ResetRequired: true,
  };
}

const registryDocument = ({ model, bmc }: BmcCall): JsonObject => ({
  '@odata.id': BIOS_REGISTRY_PATH,
  '@odata.type': typeOf('AttributeRegistry'),
  Id: BIOS_REGISTRY,
  Name: 'BIOS attributes',
  Language: 'en',
  OwningEntity: model.manufacturer,
  RegistryVersion: '1.0.0',
  SupportedSystems: [
    {
      ProductName: model.product,
      SystemId: model.sku.replaceAll(/[^A-Za-z0-9]/g, ''),
      FirmwareVersion: bmc.versions.BIOS,
    },
  ],
  RegistryEntries: { Attributes: model.bios.attributes.map(registryEntry) },
});

export const biosRoutes: readonly BmcRoute[] = [
  { path: BIOS, get: biosDocument },
  { path: `${BIOS}/Actions/Bios.ResetBios`, post: resetBios },
  {
    path: `${BIOS}/:settings`,
    has: ({ params, model }) => params.settings === model.tree.biosSettings,
    get: settingsDocument,
    patch: changeSettings,
  },
  { path: BIOS_REGISTRY_PATH, get: registryDocument },
];
