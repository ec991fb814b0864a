/** The page Simulator. */
export function SimulatorPage() {
  return <h1>Simulator</h1>;
}
