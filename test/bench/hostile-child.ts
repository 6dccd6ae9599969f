import { readFileSync } from 'node:fs';
import { said } from '#test/hostile/events.ts';
import { folded } from '#test/hostile/folded-result.ts';
import { RecordBench } from '#test/hostile/record-bench.ts';
import { BENIGN, HOSTILE_RESULTS } from '#test/hostile/results.ts';

// node test/bench/hostile-child.ts record FILE: a message from this file through record-events, beside an honest one
// node test/bench/hostile-child.ts fold NAME: a case of test/hostile/results.ts through the fold
// node test/bench/hostile-child.ts benign WECS: short texts of so many WECs through the fold
const [what = '', input = ''] = process.argv.slice(2);
switch (what) {
  case 'record': {
    const bench = new RecordBench(['wec/good', 'wec/bad']);
    const { failed } = await bench.run([
      { sender: 'bad', body: readFileSync(input, 'utf8') },
      { sender: 'good', body: `[${said('good')}]` },
    ]);
    if (failed.length > 0) throw new Error('a message failed');
    break;
  }
  case 'fold': {
    const hostile = HOSTILE_RESULTS.find(({ name }) => name === input);
    if (hostile === undefined) throw new RangeError(input);
    folded(hostile);
    break;
  }
  case 'benign':
    folded({ ...BENIGN, wecs: Number(input) });
    break;
  default:
    throw new RangeError(what);
}
