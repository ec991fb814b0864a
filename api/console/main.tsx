/** The console: pages at /ui of the northbound endpoint. */
import { render } from 'preact';
import { App } from './app.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import './styles/lists.css';

render(<App />, document.getElementById('console') as HTMLElement);
