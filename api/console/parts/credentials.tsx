/** A form for a name and a password. */
import type { ComponentChildren } from 'preact';
import { Field } from './field.tsx';
import { Form } from './form.tsx';
import { Heading } from './heading.tsx';

interface CredentialsProps {
  title: string;
  /** Text of the button. */
  action: string;
  /** For password managers. */
  password: 'current-password' | 'new-password';
  submit: (username: string, password: string) => Promise<void>;
  children?: ComponentChildren;
  /** false: without the form. */
  takesPassword?: boolean;
  /** Below the form. */
  more?: ComponentChildren;
}

export function Credentials({
  title,
  action,
  password,
  submit,
  children,
  takesPassword = true,
  more,
}: CredentialsProps) {
  return (
    <main class="login">
      <section>
        <Heading>{title}</Heading>
        {children}
        {takesPassword && (
          <Form action={action} submit={(form) => submitEntered(form, submit)}>
            <Field label="Username">
              {/* biome-ignore lint/a11y/noAutofocus: the page has no other content. */}
              <input name="username" autoComplete="username" required autoFocus />
            </Field>
            <Field label="Password">
              <input name="password" type="password" autoComplete={password} required />
            </Field>
            {password === 'new-password' && (
              <Field label="Password, again">
                <input name="repeated" type="password" autoComplete={password} required />
              </Field>
            )}
          </Form>
        )}
        {more}
      </section>
    </main>
  );
}

/** @throws Error if a new password was not entered twice */
async function submitEntered(form: FormData, submit: CredentialsProps['submit']): Promise<void> {
  const [username, password, repeated] = ['username', 'password', 'repeated'].map((name) => form.get(name));
  if (typeof repeated === 'string' && repeated !== password) throw new Error('The two passwords differ.');
  await submit(String(username), String(password));
}
