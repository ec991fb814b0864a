/**
 * Hides the secrets of a large value as `conceal` does without schemas, with turns for other work in between: a catalog may have
 * 200,000 values.
 */
import { conceal, type Hiding, isNaming } from './conceal.ts';
import { isSecret } from './secret-names.ts';

/** Values that are handled in one turn. */
const TURN = 2_000;
/** Characters of a text that are handled in one turn; it is cut between two lines, or two words. */
const CHARACTERS_PER_TURN = 128 * 1_024;

type Pause = () => Promise<void> | undefined;

/** @param pause ends a turn */
export async function concealInTurns(value: unknown, hiding: Hiding, pause: Pause): Promise<unknown> {
  if (typeof value === 'string') return textInTurns(value, hiding, pause);
  if (!isLarge(value)) return conceal([], value, hiding);
  if (!Array.isArray(value)) return objectInTurns(value as Record<string, unknown>, hiding, pause);
  const items: unknown[] = [];
  let isSame = true;
  for (const group of groups(value, isLarge)) {
    await pause();
    const hidden = isLarge(group[0])
      ? [await concealInTurns(group[0], hiding, pause)]
      : (conceal([], group, hiding) as unknown[]);
    isSame &&= hidden.every((inner, at) => inner === group[at]);
    items.push(...hidden);
  }
  return isSame ? value : items;
}

async function objectInTurns(value: Record<string, unknown>, hiding: Hiding, pause: Pause): Promise<object> {
  const parts: object[] = [];
  let isSame = true;
  const isAlone = (key: string) => !isNaming(key) && isLarge(value[key]) && !isSecret(key, value[key]);
  for (const group of groups(namingFirst(Object.keys(value)), isAlone)) {
    await pause();
    const part = Object.fromEntries(group.map((key) => [key, value[key]]));
    const [first = ''] = group;
    const hidden = isAlone(first) ? await aloneInTurns(part, first, hiding, pause) : conceal([], part, hiding);
    isSame &&= hidden === part;
    parts.push(hidden as object);
  }
  return isSame ? value : joinParts(parts, pause);
}

/** A large value under its key. */
async function aloneInTurns(part: Record<string, unknown>, key: string, hiding: Hiding, pause: Pause): Promise<object> {
  const hidden = await concealInTurns(part[key], hiding, pause);
  const name = hiding.text?.(key) ?? key;
  return name === key && hidden === part[key] ? part : { [name]: hidden };
}

async function joinParts(parts: readonly object[], pause: Pause): Promise<object> {
  const whole = {};
  for (const part of parts) {
    await pause();
    Object.assign(whole, part);
  }
  return whole;
}

/** The name of a secret is in the same group as the secret. */
const namingFirst = (keys: string[]): string[] =>
  keys.some(isNaming) ? [...keys.filter(isNaming), ...keys.filter((key) => !isNaming(key))] : keys;

/** Groups of at most `TURN`; one that is alone has a group of its own. */
function* groups<T>(all: readonly T[], isAlone: (one: T) => boolean): Generator<T[]> {
  let group: T[] = [];
  for (const one of all) {
    const alone = isAlone(one);
    if (group.length > 0 && (alone || group.length >= TURN)) {
      yield group;
      group = [];
    }
    if (alone) yield [one];
    else group.push(one);
  }
  if (group.length > 0) yield group;
}

/** Whether it is more than a turn's work; does not look at more. */
const isLarge = (value: unknown): boolean => sizeOf(value, TURN) >= TURN;

function sizeOf(value: unknown, limit: number): number {
  if (typeof value === 'string') return 1 + Math.floor((value.length * TURN) / CHARACTERS_PER_TURN);
  if (typeof value !== 'object' || value === null) return 1;
  let size = 1;
  for (const key in value) {
    if (size >= limit) break;
    size += sizeOf(Reflect.get(value, key), limit - size);
  }
  return size;
}

async function textInTurns(text: string, hiding: Hiding, pause: Pause): Promise<string> {
  const parts: string[] = [];
  let isSame = true;
  for (const piece of pieces(text)) {
    await pause();
    const hidden = conceal([], piece, hiding) as string;
    isSame &&= hidden === piece;
    parts.push(hidden);
  }
  return isSame ? text : parts.join('');
}

function* pieces(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const rest = text.slice(from, from + CHARACTERS_PER_TURN);
    const cut =
      from + CHARACTERS_PER_TURN >= text.length
        ? rest.length
        : Math.max(rest.lastIndexOf('\n'), rest.lastIndexOf(' ')) + 1;
    const size = cut > CHARACTERS_PER_TURN / 2 ? cut : rest.length;
    yield rest.slice(0, size);
    from += size;
  }
}
