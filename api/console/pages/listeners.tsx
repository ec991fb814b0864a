/** The page Listeners. */
export function ListenersPage() {
  return <h1>Listeners</h1>;
}
