// Shows the interface. Prompts for a name and a password where the document requires a login. The token is kept in this
// page's memory only.
const form = document.getElementById('login');
const rejected = document.getElementById('rejected');

async function show(token) {
  const headers = token === undefined ? {} : { authorization: `JWT ${token}` };
  const answer = await fetch('/api/current/openapi.json', { headers });
  if (!answer.ok) {
    form.hidden = false;
    rejected.textContent = token === undefined ? '' : `The document could not be loaded: ${answer.status}`;
    return;
  }
  form.hidden = true;
  window.SwaggerUIBundle({
    spec: await answer.json(),
    dom_id: '#interface',
    validatorUrl: null,
    requestInterceptor: (request) => {
      if (token !== undefined) request.headers.authorization ??= `JWT ${token}`;
      return request;
    },
  });
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const body = JSON.stringify(Object.fromEntries(new FormData(form)));
  const answer = await fetch('/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { token, message } = await answer.json();
  if (answer.ok) await show(token);
  else rejected.textContent = message;
});

document.getElementById('unbuilt').hidden = window.location.pathname !== '/docs';
void show();
