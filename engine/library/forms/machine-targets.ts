/** The targets of a machine in JSON that lead nowhere, each with its place: XState names only the first, and not the place. */
import type { Violation } from '../../vocabulary/errors.ts';
import { isObject, type JsonObject, objectIn } from '../../vocabulary/json.ts';
import { pathOfKey } from '../../vocabulary/json-pointer.ts';
import { didYouMean } from '../../vocabulary/nearest.ts';

interface Place {
  state: JsonObject;
  path: string;
  parent: JsonObject | undefined;
}

/** @param machine a configuration whose shape was checked @param path of it in the definition */
export function wrongTargets(machine: JsonObject, path: string): Violation[] {
  const places = placesIn({ state: machine, path, parent: undefined });
  const ids = new Map(
    places.flatMap(({ state }) => (typeof state.id === 'string' ? [[state.id, state] as const] : [])),
  );
  return places.flatMap((place) => [
    ...initialOf(place),
    ...targetsOf(place.state, place.path).flatMap(([target, at]) => {
      const stateNames = Object.keys(objectIn(place.parent?.states));
      const message = `found '${target.slice(0, 80)}', which is no state; expected the name of one${didYouMean(target, stateNames)}`;
      return isState(target, place, ids) ? [] : [{ path: at, message }];
    }),
  ]);
}

function placesIn(place: Place): Place[] {
  const { state, path } = place;
  const below = Object.entries(objectIn(state.states)).filter(([, child]) => isObject(child));
  return [
    place,
    ...below.flatMap(([key, child]) =>
      placesIn({ state: child as JsonObject, path: pathOfKey(`${path}.states`, key), parent: state }),
    ),
  ];
}

function initialOf({ state: { initial, states }, path }: Place): Violation[] {
  const stateNames = Object.keys(objectIn(states));
  if (typeof initial !== 'string' || isPath(objectIn({ states }), initial)) return [];
  const message = `found '${initial.slice(0, 80)}', which is no state of it; expected one of ${stateNames.slice(0, 20).join(', ')}`;
  return [{ path: `${path}.initial`, message: message + didYouMean(initial, stateNames) }];
}

/** Returns the targets of its transitions with their places. */
function targetsOf(state: JsonObject, path: string): [target: string, at: string][] {
  const invokes = [state.invoke ?? []].flat() as unknown[];
  const after = Object.entries(objectIn(state.after));
  return [
    ...invokes.flatMap((invoke, index) => {
      const at = Array.isArray(state.invoke) ? `${path}.invoke.${index}` : `${path}.invoke`;
      const { onDone, onError } = objectIn(invoke);
      return [...transitions(onDone, `${at}.onDone`), ...transitions(onError, `${at}.onError`)];
    }),
    ...after.flatMap(([ms, given]) => transitions(given, pathOfKey(`${path}.after`, ms))),
    ...transitions(state.always, `${path}.always`),
    ...transitions(state.onDone, `${path}.onDone`),
  ];
}

function transitions(given: unknown, path: string): [target: string, at: string][] {
  return ([given ?? []].flat() as unknown[]).flatMap((one, index) => {
    const at = Array.isArray(given) ? `${path}.${index}` : path;
    const targets = [typeof one === 'string' ? one : (objectIn(one).target ?? [])].flat() as unknown[];
    const place = typeof one === 'string' ? at : `${at}.target`;
    return targets.filter((target) => typeof target === 'string').map((target): [string, string] => [target, place]);
  });
}

/** `#id.a.b` begins at a state with an id, `.a` below the state itself, `a` beside it. */
function isState(target: string, { state, parent }: Place, ids: ReadonlyMap<string, JsonObject>): boolean {
  if (target.startsWith('.')) return isPath(state, target.slice(1));
  if (!target.startsWith('#')) return parent !== undefined && isPath(parent, target);
  const [id = '', ...below] = target.slice(1).split('.');
  const from = ids.get(id) ?? ids.get(target.slice(1));
  return from !== undefined && (below.length === 0 || ids.has(target.slice(1)) || isPath(from, below.join('.')));
}

function isPath(from: JsonObject, path: string): boolean {
  let at: unknown = from;
  for (const key of path.split('.')) {
    const states = objectIn(objectIn(at).states);
    if (!Object.hasOwn(states, key)) return false;
    at = states[key];
  }
  return true;
}
