/** A part of a drawing that can be chosen, if anything can. */
import type { ComponentChildren } from 'preact';
import type { PickedItem } from './drawn-items.ts';

export interface DrawnChoices {
  select: (picked: PickedItem) => void;
  /** A label. */
  selected: string | undefined;
  /** The item that the Tab key reaches. */
  stop: string | undefined;
  focused: (item: string) => void;
}

interface ChosenProps {
  item: string;
  picked: PickedItem;
  name: string;
  choices: DrawnChoices | undefined;
  className: string;
  children: ComponentChildren;
}

/** A part that can be chosen, if there are choices. */
export function DrawnChoice({ item, picked, name, choices, className, children }: ChosenProps) {
  if (choices === undefined) return <g class={className}>{children}</g>;
  const isSelected = picked.kind === 'label' && picked.label === choices.selected;
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no buttons.
    <g
      class={`${className} choice ${isSelected ? 'selected' : ''}`}
      role="button"
      aria-label={name}
      aria-pressed={isSelected}
      data-item={item}
      tabIndex={item === choices.stop ? 0 : -1}
      onFocus={() => choices.focused(item)}
      onClick={() => choices.select(picked)}
    >
      {children}
    </g>
  );
}
