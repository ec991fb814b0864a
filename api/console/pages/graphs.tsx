/** The page Graphs. */
export function GraphsPage() {
  return <h1>Graphs</h1>;
}
