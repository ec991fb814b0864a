/** The console: pages at /ui of the northbound endpoint. */
import { render } from 'preact';
import { App } from './app.tsx';
import { showTurningCharacters } from './parts/visible-text.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import './styles/lists.css';

showTurningCharacters();
render(<App />, document.getElementById('console') as HTMLElement);
