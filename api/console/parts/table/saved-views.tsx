/** Links to views of a table: the usual ones, and those that the reader has saved. */
import { useLocation } from 'preact-iso';
import { forgetView, LONGEST_NAME, savedViews, saveView, withColumns } from '../../data/table-views.ts';

interface SavedViewsProps {
  page: '/nodes' | '/workflows';
  /** The address of the table as it is shown, without its columns. */
  address: string;
  usual: readonly { title: string; address: string }[];
}

export function SavedViews({ page, address, usual }: SavedViewsProps) {
  const whole = withColumns(address, useLocation().query.columns);
  const link = (title: string, to: string) => (
    <a href={to} aria-current={to === address || to === whole ? 'page' : undefined}>
      {title}
    </a>
  );
  const isUsual = usual.some((view) => view.address === whole);
  return (
    <nav class="saved-views" aria-label="Saved views">
      <ul>
        {usual.map((view) => (
          <li key={view.address}>{link(view.title, view.address)}</li>
        ))}
        {savedViews(page).map((view) => (
          <li key={`own ${view.name}`}>
            {link(view.name, view.address)}
            <button
              type="button"
              aria-label={`Forget the view ${view.name}`}
              onClick={() => forgetView(page, view.name)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      {!isUsual && <SaveView save={(name) => saveView(page, { name, address: whole })} />}
    </nav>
  );
}

function SaveView({ save }: { save: (name: string) => void }) {
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const name = String(new FormData(form).get('name')).trim();
    if (name !== '') save(name);
    form.reset();
  };
  return (
    <form onSubmit={onSubmit}>
      <input name="name" aria-label="Name for this view" placeholder="name" required maxLength={LONGEST_NAME} />
      <button type="submit">Save this view</button>
    </form>
  );
}
