/** A server of an operator for bare metal, as both operators describe it. */
import { isObject, type JsonObject, listIn, objectIn, property } from '../../../engine/vocabulary/json.ts';
import { macOf } from '../../../engine/vocabulary/mac.ts';
import type { AnnotationChanges, Annotations } from './annotations.ts';

export interface ParkedServer {
  /** Path of the object. */
  path: string;
  /** With its namespace, if it has one. */
  name: string;
  resourceVersion: string;
  isDeleted: boolean;
  annotations: Annotations;
  macs: string[];
  /** Undefined: it is not known. */
  serial: string | undefined;
  /** Whether the operator says that it has let go of the server. */
  isParked: boolean;
  /** The user of the server, as the end of a sentence; undefined: it is free. */
  usedBy: string | undefined;
  /** Why the operator cannot park it now. */
  obstacle: string | undefined;
  /** The state that the operator reports. */
  status: string;
}

/** An operator: where its servers are, and how they are parked. */
export interface ServerOperator {
  name: 'metal3' | 'metal-operator';
  group: string;
  resource: string;
  isNamespaced: boolean;
  /** Annotations that ask the operator to let go of a server, and to manage it again. */
  park: AnnotationChanges;
  unpark: AnnotationChanges;
  read(object: JsonObject): Omit<ParkedServer, 'path' | 'name' | 'resourceVersion' | 'isDeleted' | 'annotations'>;
}

const API_VERSION = 'v1alpha1';

/** @param namespace undefined: all */
export const listPath = ({ group, resource, isNamespaced }: ServerOperator, namespace?: string): string =>
  isNamespaced && namespace !== undefined
    ? `/apis/${group}/${API_VERSION}/namespaces/${encodeURIComponent(namespace)}/${resource}`
    : `/apis/${group}/${API_VERSION}/${resource}`;

/** @returns undefined if the object has no name or version */
export function serverOf(operator: ServerOperator, object: JsonObject): ParkedServer | undefined {
  const { name, namespace, resourceVersion, deletionTimestamp } = objectIn(object.metadata);
  if (typeof name !== 'string' || typeof resourceVersion !== 'string') return undefined;
  const place = typeof namespace === 'string' ? namespace : undefined;
  return {
    ...operator.read(object),
    path: `${listPath(operator, place)}/${encodeURIComponent(name)}`,
    name: place === undefined ? name : `${place}/${name}`,
    resourceVersion,
    isDeleted: deletionTimestamp !== undefined,
    annotations: annotationsOf(object),
  };
}

export const annotationsOf = ({ metadata }: JsonObject): Annotations =>
  Object.fromEntries(
    Object.entries(objectIn(objectIn(metadata).annotations)).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

/** Bounds what an object claims. */
const MAX_MACS = 100;

export const macsIn = (texts: readonly unknown[]): string[] =>
  [...new Set(texts.flatMap((text) => (typeof text === 'string' ? (macOf(text) ?? []) : [])))].slice(0, MAX_MACS);

export const recordsIn = (value: unknown): JsonObject[] => listIn(value).filter(isObject);

export function nestedText(value: unknown, ...keys: readonly string[]): string {
  const text = keys.reduce<unknown>(property, value);
  return typeof text === 'string' ? text : '';
}
