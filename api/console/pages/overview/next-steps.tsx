/** The first steps with a daemon that has no node yet. */
import { NeedsRight } from '../../parts/needs-right.tsx';
import { AddNode } from '../nodes/add-node.tsx';

export const NextSteps = () => (
  <ol class="steps">
    <li>
      <h3>Discover your machines</h3>
      <p>
        Let them boot from the network of this daemon: each that does is catalogued, and gets its SKU.{' '}
        <a href="/docs/operate/discovery">How to set up DHCP and the boot server</a>
      </p>
    </li>
    <li>
      <h3>Or begin with one</h3>
      <p>
        Add a machine that you know, and then its BMC. Without machines, <code>nw demo</code> runs a daemon with forty
        simulated ones.
      </p>
      <NeedsRight owner={null}>
        <AddNode />
      </NeedsRight>
    </li>
    <li>
      <h3>Read the tour</h3>
      <p>
        It launches a graph, and shows what happens when something fails. <a href="/docs/operate/tour">The tour</a>,{' '}
        <a href="/docs">all pages</a>
      </p>
    </li>
  </ol>
);
