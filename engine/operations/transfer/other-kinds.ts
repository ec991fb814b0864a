/** SKUs, tags by rule, definitions that were put by the API, hooks and pollers. */
import type { HookFilter } from '../../api-port/hooks.ts';
import type { AlertRule } from '../../api-port/pollers.ts';
import type { SkuRule, TagRecord } from '../../api-port/skus.ts';
import { filterViolations } from '../../events/hooks/filters.ts';
import { checkAuthority, checkReceiver, type HookReceiver } from '../../events/hooks/hook-requests.ts';
import { HOOKS, hookSpec, type StoredHook } from '../../events/hooks/stored-hook.ts';
import { pollerKeyOf, split, withDefaults } from '../../inventory/pollers/poller-config.ts';
import { alertViolations } from '../../inventory/pollers/severity.ts';
import { pollerSpec, type StoredPoller } from '../../inventory/pollers/stored-poller.ts';
import { ruleViolations } from '../../inventory/skus/rules.ts';
import { SKUS, type StoredSku, skuSpec } from '../../inventory/skus/stored-sku.ts';
import { TAG_RULES, tagSpec } from '../../inventory/skus/tag-rules.ts';
import { checkTasks, shapedList } from '../../library/forms/list-json.ts';
import { isMachineJson, readMachineJson } from '../../library/forms/machine-json.ts';
import { RejectionList } from '../../library/options/rejection.ts';
import { type ApiDefinition, apiDefinitionSpecs } from '../../library/versions/api-definitions.ts';
import type { Cipher } from '../../platform/secrets/secrets.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { conceal, concealText } from '../../vocabulary/conceal.ts';
import { REDACTED } from '../../vocabulary/encrypted-values.ts';
import { isObject, type JsonObject, listIn, objectIn } from '../../vocabulary/json.ts';
import { concealDefinition } from '../../workflows/requests/definition-secrets.ts';
import { pickKeys, type RecordKind, textIn, uniqueField } from './record-kind.ts';

const TIMES = ['createdAt', 'updatedAt'];
const SKU = ['id', 'name', 'rules', 'discoveryGraphName', 'discoveryGraphOptions', ...TIMES];

/** Without its pack. */
export const skuKind = (vault: Vault): RecordKind<StoredSku> => ({
  type: 'sku',
  spec: skuSpec,
  limit: SKUS,
  record: (stored) => pickKeys(stored, SKU),
  document: (record) => {
    const { discoveryGraphOptions: options } = record;
    return {
      discoveryGraphName: null,
      ...record,
      id: textIn(record, 'id'),
      discoveryGraphOptions: isObject(options) ? objectIn(conceal([], options, vault.hiding({ stable: true }))) : null,
    };
  },
  initial: {},
  idOf: (record) => textIn(record, 'id'),
  uniques: (record) => uniqueField(record, 'name'),
  violations: ({ rules }) => ruleViolations(rules as SkuRule[]),
});

export const tagKind: RecordKind<TagRecord> = {
  type: 'tag',
  spec: tagSpec,
  limit: TAG_RULES,
  record: (stored) => pickKeys(stored, ['id', 'name', 'rules', ...TIMES]),
  document: (record) => ({ ...record, id: textIn(record, 'id') }),
  initial: {},
  idOf: (record) => textIn(record, 'id'),
  uniques: (record) => uniqueField(record, 'name'),
  violations: ({ rules }) => ruleViolations(rules as SkuRule[]),
};

/** The library links a definition at the start; what is wrong then is listed by `GET /workflows/graphs?errors=true`. */
export const definitionKind = (type: 'graph' | 'task', vault: Vault): RecordKind<ApiDefinition> => ({
  type,
  spec: apiDefinitionSpecs[type],
  record: ({ text, ...stored }) => ({ definition: JSON.parse(text), ...pickKeys(stored, TIMES) }),
  document: ({ definition, ...record }) => ({
    ...record,
    id: nameIn(definition),
    text: JSON.stringify(concealDefinition(definition, () => undefined, vault.hiding({ stable: true }))),
  }),
  initial: {},
  idOf: ({ definition }) => nameIn(definition),
  violations: ({ definition }) => {
    if (type === 'graph') checkGraph(definition);
    return [];
  },
});

/** @throws Rejection for what can be found without the tasks */
function checkGraph(definition: unknown): void {
  const rejections = new RejectionList();
  rejections.try(() => {
    if (isMachineJson(definition)) readMachineJson(definition, rejections);
    else checkTasks(shapedList(definition, rejections));
  });
  rejections.throw('a graph');
}

const nameIn = (definition: unknown): string => textIn(objectIn(definition), 'injectableName');

const HOOK = ['id', 'url', 'name', 'filters', 'ca', 'format', 'rejectUnauthorized', ...TIMES];

export const hookKind = (cipher: Cipher, vault: Vault): RecordKind<StoredHook> => {
  const addressOf = (url: string) => {
    const encrypted = concealText(url, vault.hiding({ stable: true }).part);
    const parsed = new URL(encrypted);
    parsed.hash = '';
    return { url: encrypted, address: parsed.href };
  };
  return {
    type: 'hook',
    spec: hookSpec,
    limit: HOOKS,
    record: ({ secret, ...stored }) => ({
      ...pickKeys(stored, HOOK),
      secret: secret === null ? null : cipher.decrypt(secret),
    }),
    document: ({ secret = null, ...record }) => ({
      name: null,
      filters: [],
      ca: null,
      format: null,
      rejectUnauthorized: true,
      ...record,
      id: textIn(record, 'id'),
      secret: secret === null ? null : cipher.encrypt(secret),
      ...addressOf(textIn(record, 'url')),
    }),
    initial: { misses: 0, retryAt: null, by: null },
    idOf: (record) => textIn(record, 'id'),
    shown: ({ secret, ...record }) => ({ ...record, secret: secret === null ? null : REDACTED }),
    uniques: (record) => {
      const { address } = addressOf(textIn(record, 'url'));
      return [{ path: 'url', value: address, filter: { address } }];
    },
    violations: ({ url, format, secret = null, ca = null, filters = [] }) => {
      checkReceiver({ url: String(url), format, secret } as HookReceiver);
      if (ca !== null) checkAuthority(String(ca));
      return filterViolations(filters as HookFilter[]);
    },
  };
};

const POLLER = ['id', 'type', 'node', 'pollInterval', 'paused', 'config', ...TIMES];

const typeOf = ({ type }: JsonObject) => (type === 'snmp' ? type : 'ipmi');

const pollerKey = (record: JsonObject): string | null =>
  pollerKeyOf(typeOf(record), textOrNull(record.node), withDefaults(typeOf(record), objectIn(record.config)));

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const pollerKind = (cipher: Cipher): RecordKind<StoredPoller> => ({
  type: 'poller',
  spec: pollerSpec,
  record: ({ access, config, ...stored }) => ({
    ...pickKeys(stored, POLLER),
    config: { ...config, ...objectIn(access && cipher.decrypt(access)) },
  }),
  document: ({ config: whole, ...record }: JsonObject) => {
    const { config, secrets } = split(objectIn(whole));
    return {
      pollInterval: 60_000,
      paused: false,
      ...record,
      node: textOrNull(record.node),
      id: textIn(record, 'id'),
      key: pollerKey({ ...record, config }),
      config: withDefaults(typeOf(record), config),
      ...(Object.keys(secrets).length > 0 && { access: cipher.encrypt(secrets) }),
    };
  },
  initial: { version: 1, failureCount: 0, lastError: null, retryAt: null, mark: null },
  idOf: (record) => textIn(record, 'id'),
  shown: (record) => {
    const { config, secrets } = split(objectIn(record.config));
    const hidden = Object.keys(secrets).map((key) => [key, REDACTED]);
    return { ...record, config: { ...config, ...Object.fromEntries(hidden) } };
  },
  references: ({ node }) => (typeof node === 'string' ? [{ path: 'node', type: 'node', id: node }] : []),
  uniques: (record) => {
    const key = pollerKey(record);
    return key === null ? [] : [{ path: 'node', value: key, filter: { key } }];
  },
  violations: ({ config }) => alertViolations(listIn(objectIn(config).alerts) as AlertRule[]),
});
