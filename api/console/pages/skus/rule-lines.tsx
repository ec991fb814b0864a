/** The rules of a SKU as lines that can be edited. */
import { type EditedRule, emptyRule, type RuleOperator, ruleOperators } from './edited-rules.ts';

interface RuleLinesProps {
  rules: readonly EditedRule[];
  change: (rules: readonly EditedRule[]) => void;
}

export function RuleLines({ rules, change }: RuleLinesProps) {
  const set = (key: number, changed: Partial<EditedRule>) =>
    change(rules.map((rule) => (rule.key === key ? { ...rule, ...changed } : rule)));
  return (
    <fieldset class="rules">
      <legend>Rules: all of them must match</legend>
      {rules.map((rule, index) => (
        <RuleLine
          key={rule.key}
          rule={rule}
          number={index + 1}
          set={(changed) => set(rule.key, changed)}
          remove={() => change(rules.filter(({ key }) => key !== rule.key))}
        />
      ))}
      <button type="button" onClick={() => change([...rules, emptyRule()])}>
        Add a rule
      </button>
    </fieldset>
  );
}

interface RuleLineProps {
  rule: EditedRule;
  number: number;
  set: (changed: Partial<EditedRule>) => void;
  remove: () => void;
}

function RuleLine({ rule: { path, operator, text }, number, set, remove }: RuleLineProps) {
  return (
    <div class="rule">
      <input
        aria-label={`Path of rule ${number}: source and keys, separated by dots`}
        placeholder="dmi.System Information.Manufacturer"
        value={path}
        spellcheck={false}
        onInput={({ currentTarget }) => set({ path: currentTarget.value })}
      />
      <select
        aria-label={`Operator of rule ${number}`}
        value={operator}
        onChange={({ currentTarget }) => set({ operator: currentTarget.value as RuleOperator })}
      >
        {ruleOperators.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      {operator !== 'exists' && (
        <input
          aria-label={`Value of rule ${number}`}
          value={text}
          spellcheck={false}
          onInput={({ currentTarget }) => set({ text: currentTarget.value })}
        />
      )}
      <button type="button" aria-label={`Remove rule ${number}`} onClick={remove}>
        ×
      </button>
    </div>
  );
}
