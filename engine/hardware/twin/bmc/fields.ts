/** Reads the body of a request: every field has to be known, and of its type, before anything changes. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import { isObject } from '../../../vocabulary/json.ts';
import { badRequest } from './bmc-rejection.ts';

/** Limit of a text that a BMC stores. */
const TEXT_LENGTH = 1_024;

const quotedValue = (value: unknown): string => (JSON.stringify(value) ?? 'null').slice(0, 80);

/** The fields of a PATCH or a POST of a resource, or the parameters of an action. */
export class BodyFields {
  readonly #body: JsonObject;
  readonly #isAction: boolean;

  /** @throws BmcRejection 400 if a field is unknown */
  constructor(body: JsonObject, known: readonly string[], { isAction = false } = {}) {
    const unknown = Object.keys(body).find((name) => !known.includes(name) && !isAnnotation(name));
    if (unknown !== undefined)
      throw badRequest(isAction ? 'ActionParameterUnknown' : 'PropertyUnknown', unknown.slice(0, 80));
    this.#body = body;
    this.#isAction = isAction;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#body, name);
  }

  /** @throws BmcRejection 400 */
  text(name: string): string {
    const value = this.#requireField(name);
    if (typeof value !== 'string' || value.length > TEXT_LENGTH) throw wrongType(name, value);
    return value;
  }

  textOr<T>(name: string, other: T): string | T {
    return this.has(name) ? this.text(name) : other;
  }

  flagOr<T>(name: string, other: T): boolean | T {
    if (!this.has(name)) return other;
    const value = this.#body[name];
    if (typeof value !== 'boolean') throw wrongType(name, value);
    return value;
  }

  oneOf<const T extends readonly string[]>(name: string, allowed: T): T[number] {
    const value = this.text(name);
    if (allowed.includes(value)) return value;
    throw badRequest(
      this.#isAction ? 'ActionParameterValueNotInList' : 'PropertyValueNotInList',
      quotedValue(value),
      name,
    );
  }

  object(name: string): JsonObject {
    const value = this.#requireField(name);
    if (!isObject(value)) throw wrongType(name, value);
    return value;
  }

  /** @returns an empty list if it is absent */
  texts(name: string, most: number): string[] {
    if (!this.has(name)) return [];
    const value = this.#body[name];
    if (!Array.isArray(value) || value.length > most) throw wrongType(name, value);
    return value.map((each) => {
      if (typeof each !== 'string' || each.length > TEXT_LENGTH) throw wrongType(name, value);
      return each;
    });
  }

  #requireField(name: string): unknown {
    if (this.has(name)) return this.#body[name];
    throw badRequest(this.#isAction ? 'ActionParameterMissing' : 'PropertyMissing', name);
  }
}

const isAnnotation = (name: string): boolean => name.startsWith('@');

export const wrongType = (name: string, value: unknown) =>
  badRequest('PropertyValueTypeError', quotedValue(value), name);
