/** Login, navigation, and the page of the address. */
import { useEffect } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, Route, Router } from 'preact-iso';
import { mustLogIn, openSession, session } from './data/current-user.ts';
import { pageList } from './page-list.ts';
import { FirstUser } from './pages/first-user.tsx';
import { Login } from './pages/login.tsx';
import { NotFound } from './pages/not-found.tsx';
import { Frame } from './parts/frame.tsx';

/** ms until the next try, while the daemon does not answer. */
const RETRY_MS = 2_000;

export function App() {
  useEffect(openWhenAnswered, []);
  if (session.value?.isFirstUser) return <FirstUser />;
  if (session.value === undefined)
    return mustLogIn.value ? <Login /> : <p class="starting">Connecting to the daemon</p>;
  return (
    <LocationProvider scope="/ui">
      <Frame>
        <ErrorBoundary>
          <Router>
            {pageList.map(({ path, component }) => (
              <Route key={path} path={`/ui${path === '/' ? '' : path}`} component={component} />
            ))}
            <Route default component={NotFound} />
          </Router>
        </ErrorBoundary>
      </Frame>
    </LocationProvider>
  );
}

function openWhenAnswered(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = () =>
    openSession().catch(() => {
      timer = setTimeout(open, RETRY_MS);
    });
  void open();
  return () => clearTimeout(timer);
}
