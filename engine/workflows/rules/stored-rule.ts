/**
 * A rule, its runs, and the position of all rules in the log of events, as stored. A run is the outcome of one event for one rule: a
 * document whose id follows from both.
 */
import type { RuleHold, RuleLaunch, RuleRecord, RuleRunRecord } from '../../api-port/rules.ts';
import { uuidOf } from '../../platform/lib/derived-uuid.ts';
import type { CollectionSpec, Document, VersionedDocument } from '../../platform/store/port.ts';

export interface StoredRule extends VersionedDocument, Omit<RuleRecord, 'launch' | 'hold'> {
  /** Secrets in its options are encrypted. */
  launch: RuleLaunch | null;
  hold: RuleHold | null;
  /** It acts on events after this position of the log. */
  from: number;
}

export interface StoredRuleRun extends RuleRunRecord {
  /** Its outcome is not decided, or its event is not published. */
  pending: boolean;
  /** The rule, `acted` or `refused`, and the time: one index counts the outcomes of an hour. */
  outcome: string;
  /** Rule, node and time; null: refused. */
  acted: string | null;
}

export interface RuleMark extends Document {
  /** All events up to this one have been decided. */
  position: number;
}

export const ruleSpec: CollectionSpec = {
  name: 'rules',
  indexes: { name: 'text', enabled: 'boolean', createdAt: 'text' },
  scanned: { createdBy: 'text', updatedAt: 'text' },
};

export const ruleRunSpec: CollectionSpec = {
  name: 'ruleruns',
  indexes: {
    rule: 'text',
    node: 'text',
    event: 'text',
    status: 'text',
    createdAt: 'text',
    pending: 'boolean',
    outcome: 'text',
    acted: 'text',
  },
  scanned: { reason: 'text', updatedAt: 'text' },
};

export const ruleMarkSpec: CollectionSpec = { name: 'rulemarks', indexes: {} };

/** The id of a run, and of the workflow or hold that it begins. */
export const ruleRunIdOf = (rule: string, event: string): string => uuidOf(`${rule} ${event}`);
