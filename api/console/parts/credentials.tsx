/** A form for a name and a password. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Field } from './field.tsx';
import { Problem } from './problem.tsx';

interface CredentialsProps {
  title: string;
  /** Of the button. */
  action: string;
  /** For password managers. */
  password: 'current-password' | 'new-password';
  submit: (username: string, password: string) => Promise<void>;
  children?: ComponentChildren;
}

export function Credentials({ title, action, password, submit, children }: CredentialsProps) {
  const problem = useSignal<unknown>(undefined);
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    problem.value = undefined;
    await submit(String(form.get('username')), String(form.get('password'))).catch((error: unknown) => {
      problem.value = error;
    });
  };
  return (
    <main class="login">
      <form onSubmit={(event) => void onSubmit(event)}>
        <h1>{title}</h1>
        {children}
        <Field label="Username">
          {/* biome-ignore lint/a11y/noAutofocus: the page has no other content. */}
          <input name="username" autoComplete="username" required autoFocus />
        </Field>
        <Field label="Password">
          <input name="password" type="password" autoComplete={password} required />
        </Field>
        <button type="submit" class="main">
          {action}
        </button>
        <Problem error={problem.value} />
      </form>
    </main>
  );
}
