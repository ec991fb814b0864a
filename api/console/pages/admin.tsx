/** The page Admin. */
export function AdminPage() {
  return <h1>Admin</h1>;
}
