/** The nodes that match rules, asked some time after the last change of the rules. A newer question replaces an older one. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SkuRule } from '../../../engine/api-port/index.ts';
import type { PostAnswer } from '../../client/requests.ts';
import { client } from './daemon-client.ts';

type MatchAnswer = PostAnswer<'/skus/match'>;
export type RuleVerdicts = Extract<MatchAnswer, { rules: unknown }>['rules'];
export type SkuVerdicts = Extract<MatchAnswer, { skus: unknown }>;

export interface Matching {
  ids: readonly string[];
  /** Nodes that were tested. */
  tested: number;
  /** All nodes of the daemon. */
  total: number;
}

const TYPING_MS = 500;
const NODES_PER_PAGE = 1_000;
/** Nodes that are tested. */
const MAX_NODES = 20_000;

interface PageAnswer<T> {
  value: ReadonlySignal<T | undefined>;
  problem: ReadonlySignal<unknown>;
  isAsking: ReadonlySignal<boolean>;
}

export const useMatching = (rules: readonly SkuRule[]): PageAnswer<Matching> =>
  useAnswered(rules.length === 0 ? undefined : JSON.stringify(rules), async (isAsked) => {
    const ids: string[] = [];
    for (let skip = 0; ; skip += NODES_PER_PAGE) {
      const { body, total = 0 } = await client.post('/skus/match', {
        query: { $skip: skip, $top: NODES_PER_PAGE },
        body: { rules: rules as SkuRule[] },
      });
      ids.push(...(body as { nodes: string[] }).nodes);
      const tested = Math.min(total, skip + NODES_PER_PAGE);
      if (tested === total || tested >= MAX_NODES || !isAsked()) return { ids, tested, total };
    }
  });

/** @param nodeId undefined: none yet */
export const useVerdicts = (rules: readonly SkuRule[], nodeId: string | undefined): PageAnswer<RuleVerdicts> =>
  useAnswered(rules.length === 0 || nodeId === undefined ? undefined : JSON.stringify([rules, nodeId]), async () => {
    const { body } = await client.post('/skus/match', { body: { rules: rules as SkuRule[], nodeId: String(nodeId) } });
    return (body as { rules: RuleVerdicts }).rules;
  });

/** @param key of the question; undefined: there is none */
function useAnswered<T>(key: string | undefined, ask: (isAsked: () => boolean) => Promise<T>): PageAnswer<T> {
  const value = useSignal<T | undefined>(undefined);
  const problem = useSignal<unknown>(undefined);
  const isAsking = useSignal(false);
  useEffect(() => {
    let isAsked = true;
    isAsking.value = key !== undefined;
    if (key === undefined) {
      [value.value, problem.value] = [undefined, undefined];
      return;
    }
    const answer = async () => {
      try {
        const result = await ask(() => isAsked);
        if (isAsked) [value.value, problem.value] = [result, undefined];
      } catch (error) {
        if (isAsked) [value.value, problem.value] = [undefined, error];
      }
      if (isAsked) isAsking.value = false;
    };
    const timer = setTimeout(() => void answer(), TYPING_MS);
    return () => {
      isAsked = false;
      clearTimeout(timer);
    };
  }, [key]);
  return { value, problem, isAsking };
}
