/** undici, loaded with the first request: it consists of a hundred files, and many daemons send none. */
type Undici = typeof import('undici');

let loading: Promise<Undici> | undefined;

export function undici(): Promise<Undici> {
  loading ??= import('undici');
  return loading;
}
