/** Parts of a page, one of which is shown. The address has the part, so that it can be linked to. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useCurrentInView } from './current-in-view.ts';
import { usePartTitle } from './heading.tsx';

export interface Tab {
  /** In the address. */
  name: string;
  title: string;
  content: () => ComponentChildren;
}

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const { path, query, route } = useLocation();
  const id = useId();
  const current = tabs.find(({ name }) => name === query.tab) ?? tabs[0];
  usePartTitle(current?.title);
  const row = useCurrentInView<HTMLDivElement>(current?.name);
  const addressOf = (name: string) => `${path}?${new URLSearchParams({ ...query, tab: name })}`;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined || current === undefined) return;
    const next = tabs[(tabs.indexOf(current) + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    route(addressOf(next.name), true);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <>
      <div role="tablist" aria-label={label} onKeyDown={onKeyDown} ref={row}>
        {tabs.map(({ name, title }) => (
          <button
            type="button"
            key={name}
            id={`${id}-${name}`}
            role="tab"
            aria-selected={name === current?.name}
            aria-controls={`${id}-content`}
            tabIndex={name === current?.name ? 0 : -1}
            onClick={() => route(addressOf(name), true)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-content`} aria-labelledby={`${id}-${current?.name}`}>
        {current?.content()}
      </div>
    </>
  );
}
