/**
 * JSON as a tree: catalogs, options, outputs. Branches are drawn when they are opened. A search shows the paths and values
 * that contain a text.
 */
import { useSignal } from '@preact/signals';
import { countText } from '../../../engine/vocabulary/count-texts.ts';
import { Field } from './field.tsx';
import { inShort } from './in-short.ts';

/** Maximum children that are drawn at a time. */
const CHILDREN = 200;
/** Hits of a search. */
const HITS = 200;
/** Characters of a value that are shown. */
const CHARACTERS = 2_000;
/** Values that a search looks at. */
const LOOKED = 100_000;

interface JsonTreeProps {
  /** Its content, for those who do not see it. */
  label: string;
  value: unknown;
  /** Has a field to search in it. */
  searches?: boolean;
}

export function JsonTree({ label, value, searches = false }: JsonTreeProps) {
  const wanted = useSignal('');
  return (
    <section class="json" aria-label={label}>
      {searches && (
        <Field label={`Search in ${label}`}>
          <input
            type="search"
            onInput={({ currentTarget }) => {
              wanted.value = currentTarget.value.trim().toLowerCase();
            }}
          />
        </Field>
      )}
      {wanted.value === '' ? <Value value={value} isOpen /> : <Hits hits={hitsIn(value, wanted.value)} />}
    </section>
  );
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;

function Value({ name, value, isOpen = false }: { name?: string; value: unknown; isOpen?: boolean }) {
  const isShown = useSignal(isOpen);
  const most = useSignal(CHILDREN);
  if (!isBranch(value)) {
    return (
      <div class="leaf">
        {name !== undefined && <span class="key">{inShort(name)}: </span>}
        <Leaf value={value} />
      </div>
    );
  }
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <details
      open={isShown.value}
      onToggle={({ currentTarget }) => {
        isShown.value = currentTarget.open;
      }}
    >
      <summary>
        {name !== undefined && <span class="key">{inShort(name)} </span>}
        <span class="quiet">{size}</span>
      </summary>
      {isShown.value &&
        entries.slice(0, most.value).map(([key, child]) => <Value key={key} name={key} value={child} />)}
      {isShown.value && entries.length > most.value && (
        <button
          type="button"
          onClick={() => {
            most.value += CHILDREN;
          }}
        >
          {entries.length - most.value} more
        </button>
      )}
    </details>
  );
}

/** A long text is shown in parts: a browser needs seconds to lay out a megabyte. */
function Leaf({ value }: { value: unknown }) {
  const most = useSignal(CHARACTERS);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <span class={value === null ? 'quiet' : typeof value}>
      {text.slice(0, most.value)}
      {text.length > most.value && (
        <button
          type="button"
          onClick={() => {
            most.value *= 4;
          }}
        >
          {text.length - most.value} more characters
        </button>
      )}
    </span>
  );
}

interface Hit {
  path: string;
  value: unknown;
}

function Hits({ hits }: { hits: readonly Hit[] }) {
  return (
    <>
      <p class="quiet" role="status">
        {hits.length === HITS ? `The first ${HITS} matches` : countText(hits.length, 'match', 'matches')}
      </p>
      {hits.map(({ path, value }) => (
        <div class="leaf" key={path}>
          <span class="key">{inShort(path)}: </span>
          <Leaf value={value} />
        </div>
      ))}
    </>
  );
}

/** Leaves whose path or value contains the text. */
function hitsIn(value: unknown, wanted: string): Hit[] {
  const hits: Hit[] = [];
  let looked = 0;
  const visit = (path: string, innerValue: unknown): void => {
    if (hits.length >= HITS || ++looked > LOOKED) return;
    if (isBranch(innerValue)) {
      for (const [key, child] of Object.entries(innerValue)) visit(path === '' ? key : `${path}.${key}`, child);
    } else if (`${path} ${String(innerValue)}`.toLowerCase().includes(wanted)) hits.push({ path, value: innerValue });
  };
  visit('', value);
  return hits;
}
