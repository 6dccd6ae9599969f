import { convergence } from './convergence.ts';

convergence({ from: 750, count: 250 });
