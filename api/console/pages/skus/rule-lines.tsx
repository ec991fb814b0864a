/** The rules of a SKU as lines that can be edited. */
import { LineList, LineText } from '../../parts/line-list.tsx';
import { type EditedRule, emptyRule, ruleOperators } from './edited-rules.ts';

interface RuleLinesProps {
  rules: readonly EditedRule[];
  change: (rules: readonly EditedRule[]) => void;
}

export const RuleLines = ({ rules, change }: RuleLinesProps) => (
  <LineList title="Rules: all of them must match" what="rule" lines={rules} change={change} empty={emptyRule}>
    {({ path, operator, text }, number, set) => (
      <>
        <LineText
          label={`Path of rule ${number}: source and keys, separated by dots`}
          example="dmi.System Information.Manufacturer"
          value={path}
          set={set('path')}
        />
        <select
          aria-label={`Operator of rule ${number}`}
          value={operator}
          onChange={({ currentTarget }) => set('operator')(currentTarget.value)}
        >
          {ruleOperators.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        {operator !== 'exists' && <LineText label={`Value of rule ${number}`} value={text} set={set('text')} />}
      </>
    )}
  </LineList>
);
