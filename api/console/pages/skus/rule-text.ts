/** A rule in one line. */
import type { SkuRule } from '../../../../engine/api-port/index.ts';

const MAX_LENGTH = 160;

export function ruleText({ path, ...checks }: SkuRule): string {
  const checkEntries = Object.entries(checks).filter(([, value]) => value !== undefined);
  const text = checkEntries.map(([operator, value]) => `${operator} ${JSON.stringify(value)}`).join(' and ');
  const whole = `${path} ${text === '' ? 'exists' : text}`;
  return whole.length > MAX_LENGTH ? `${whole.slice(0, MAX_LENGTH)}…` : whole;
}
