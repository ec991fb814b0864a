/** Values of catalogs as facts: without the placeholders of firmware, and bounded, since nodes send them. */
import type { DriveRow, InterfaceRow } from '../../api-port/hardware.ts';
import { property } from '../../vocabulary/json.ts';
import { macOf } from '../../vocabulary/mac.ts';

const TEXT = 128;
/** Texts of firmware whose maker entered none. */
const PLACEHOLDER =
  /^(?:not (?:specified|available|present|provided)|none|unknown|n\/?a|default string|to be filled.*|system (?:serial number|product name|manufacturer)|no asset tag|[0\s.x-]*|undefined|null)$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: firmware has them in its texts.
const CONTROL = /[\u0000-\u001f\u007f]+/g;

/** @param path of keys @returns null for a placeholder */
export function factText(value: unknown, ...path: string[]): string | null {
  const given = path.reduce<unknown>(property, value);
  if (typeof given !== 'string' && typeof given !== 'number') return null;
  const text = String(given).slice(0, TEXT).replaceAll(CONTROL, ' ').trim();
  return PLACEHOLDER.test(text) ? null : text;
}

/** @returns null unless it is a number from 0, also as a text such as `8` */
export function factAmount(value: unknown, ...path: string[]): number | null {
  const given = path.reduce<unknown>(property, value);
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null;
}

export function wholeAmount(value: unknown, ...path: string[]): number | null {
  const amount = factAmount(value, ...path);
  return amount === null || amount > Number.MAX_SAFE_INTEGER ? null : Math.round(amount);
}

export const factMac = (value: unknown, ...path: string[]): string | null => {
  const text = factText(value, ...path);
  return text === null ? null : (macOf(text) ?? null);
};

export const sumOf = (amounts: readonly (number | null)[]): number | null => {
  const summands = amounts.filter((amount) => amount !== null);
  return summands.length === 0 ? null : summands.reduce((sum, each) => sum + each, 0);
};

export const driveRow = (name: string, facts: Partial<DriveRow>): DriveRow => ({
  model: null,
  serial: null,
  bytes: null,
  kind: null,
  wearPercent: null,
  failing: null,
  ...facts,
  name,
});

export const interfaceRow = (name: string, facts: Partial<InterfaceRow>): InterfaceRow => ({
  mac: null,
  firmware: null,
  switch: null,
  port: null,
  ...facts,
  name,
});
