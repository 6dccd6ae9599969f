import { convergence } from './convergence.ts';

convergence({ from: 250 });
