/** The page Workflows. */
export function WorkflowsPage() {
  return <h1>Workflows</h1>;
}
