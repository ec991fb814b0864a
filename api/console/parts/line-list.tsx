/** Lines of fields, to which more can be added, and which can be removed. */
import type { ComponentChildren } from 'preact';

export interface LineChange<L> {
  lines: readonly L[];
  change: (lines: readonly L[]) => void;
}

interface LineListProps<L> extends LineChange<L> {
  title: string;
  /** One line, as in `Add a setting`. */
  what: string;
  empty: () => L;
  /** @param set returns what changes one field of the line */
  children: (line: L, number: number, set: (field: keyof L) => (text: string) => void) => ComponentChildren;
}

export function LineList<L extends { key: number }>({ title, what, lines, change, empty, children }: LineListProps<L>) {
  const setIn = (key: number) => (field: keyof L) => (text: string) =>
    change(lines.map((line) => (line.key === key ? { ...line, [field]: text } : line)));
  return (
    <fieldset class="lines">
      <legend>{title}</legend>
      {lines.map((line, at) => (
        <div key={line.key} class="line">
          {children(line, at + 1, setIn(line.key))}
          <button
            type="button"
            aria-label={`Remove ${what} ${at + 1}`}
            onClick={() => change(lines.filter(({ key }) => key !== line.key))}
          >
            ×
          </button>
        </div>
      ))}
      <button type="button" onClick={() => change([...lines, empty()])}>
        Add a {what}
      </button>
    </fieldset>
  );
}

interface LineTextProps {
  label: string;
  example?: string;
  value: string;
  set: (text: string) => void;
}

export const LineText = ({ label, example, value, set }: LineTextProps) => (
  <input
    aria-label={label}
    placeholder={example}
    value={value}
    spellcheck={false}
    autoComplete="off"
    onInput={({ currentTarget }) => set(currentTarget.value)}
  />
);
