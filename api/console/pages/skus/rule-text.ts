/** A rule in one line. */
import type { SkuRule } from '../../../../engine/api-port/index.ts';

const LONGEST = 160;

export function ruleText({ path, ...checks }: SkuRule): string {
  const found = Object.entries(checks).filter(([, value]) => value !== undefined);
  const text = found.map(([operator, value]) => `${operator} ${JSON.stringify(value)}`).join(' and ');
  const whole = `${path} ${text === '' ? 'exists' : text}`;
  return whole.length > LONGEST ? `${whole.slice(0, LONGEST)}…` : whole;
}
