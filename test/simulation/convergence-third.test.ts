import { convergence } from './convergence.ts';

convergence({ from: 500 });
