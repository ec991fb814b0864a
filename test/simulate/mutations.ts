import type { Rule } from './oracle.ts';

export interface Mutation {
  name: string;
  file: string;
  /** It stands there once. */
  from: string;
  to: string;
  /** The rule that it breaks. */
  rule: Rule;
}

export const mutations: readonly Mutation[] = [];
