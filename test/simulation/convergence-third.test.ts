import { convergence } from './convergence.ts';

convergence({ from: 500, count: 250 });
