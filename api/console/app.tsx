/** Login, navigation, and the page of the address. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, Route, Router } from 'preact-iso';
import { mustLogIn, openSession, session } from './data/current-user.ts';
import { client } from './data/daemon-client.ts';
import { pageList } from './page-list.ts';
import { FirstUser } from './pages/first-user.tsx';
import { Login } from './pages/login.tsx';
import { NotFound } from './pages/not-found.tsx';
import { Frame, isPageLoading } from './parts/frame/frame.tsx';
import { Problem } from './parts/problem.tsx';

/** ms until the next try, while the daemon does not answer. */
const RECONNECT_MS = 2_000;

/** The page before stays until the next one is loaded. */
function loading(isLoading: boolean): void {
  isPageLoading.value = isLoading;
}

export function App() {
  const problem = useSignal<unknown>(undefined);
  useEffect(() => openWhenAnswered(problem), []);
  if (session.value?.isFirstUser) return <FirstUser />;
  if (session.value === undefined) return mustLogIn.value ? <Login /> : <Starting problem={problem.value} />;
  return (
    <LocationProvider scope="/ui">
      <Frame>
        <ErrorBoundary>
          <Router onLoadStart={() => loading(true)} onLoadEnd={() => loading(false)}>
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

function Starting({ problem }: { problem: unknown }) {
  return (
    <main class="starting">
      <p role="status">Connecting to the daemon</p>
      <Problem error={problem} />
    </main>
  );
}

/** Tries until the daemon answers; `problem` is an answer that another try may not change. */
function openWhenAnswered(problem: Signal<unknown>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = () =>
    openSession().catch((error: unknown) => {
      problem.value = client.isPassing(error) ? undefined : error;
      timer = setTimeout(open, RECONNECT_MS);
    });
  void open();
  return () => clearTimeout(timer);
}
