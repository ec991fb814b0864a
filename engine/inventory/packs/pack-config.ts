/** Parses a pack's config.json: its folders, and the SKU that it registers. */
import { type Static, Type } from 'typebox';
import { checkDepth } from '../../library/options/templates.ts';
import { validator } from '../../platform/validation/validator.ts';
import { violationError } from '../../vocabulary/errors.ts';
import type { Roots } from '../skus/stored-sku.ts';
import { entryPath, packRejection, type UnpackedPack } from './unpack.ts';

const text = Type.Optional(Type.String({ maxLength: 1_024 }));
const root = Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 }));

const PackConfig = Type.Object({
  httpStaticRoot: root,
  httpTemplateRoot: root,
  httpProfileRoot: root,
  workflowRoot: root,
  taskRoot: root,
  skuConfig: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  version: text,
  description: text,
});

export type PackConfig = Static<typeof PackConfig>;

/** Returns the fields of the SKU that a pack registers; the requests for SKUs validate them. */
export const skuIn = (config: object): Record<string, unknown> => {
  const keys = ['name', 'rules', 'discoveryGraphName', 'discoveryGraphOptions'];
  return Object.fromEntries(Object.entries(config).filter(([key]) => keys.includes(key)));
};

/** @throws NodewrightError INVALID */
export function parseConfig(content: string): PackConfig {
  let config: unknown;
  try {
    config = JSON.parse(content);
  } catch {
    throw packRejection('a config.json that is not JSON; correct it');
  }
  checkDepth(config);
  if (validator.accepts(PackConfig, config)) return config;
  throw violationError(validator.violations(PackConfig, config), { about: 'config.json:' });
}

/** @throws NodewrightError INVALID for a root that is not in the archive */
export function packRoots(config: PackConfig, { folders }: UnpackedPack): Roots {
  const rootNamed = (key: keyof PackConfig & `${string}Root`): string | null => {
    const said = config[key];
    if (said === undefined) return null;
    const path = entryPath(said);
    if (path === '' || folders.has(path)) return path;
    const message = `is ${JSON.stringify(said.slice(0, 100))}, which is not a folder of the pack`;
    throw violationError([{ path: key, message }], { about: 'config.json:' });
  };
  return {
    static: rootNamed('httpStaticRoot'),
    templates: rootNamed('httpTemplateRoot'),
    profiles: rootNamed('httpProfileRoot'),
    workflows: rootNamed('workflowRoot'),
    tasks: rootNamed('taskRoot'),
  };
}

/** Returns the path below a root of a name in the archive; undefined: the name is not below the root. */
export function pathBelow(root: string, name: string): string | undefined {
  if (root === '') return name;
  return name.startsWith(`${root}/`) ? name.slice(root.length + 1) : undefined;
}
