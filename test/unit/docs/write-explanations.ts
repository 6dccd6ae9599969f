import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './markdown.ts';
import { explanationsDocument } from './recorded-explanations.ts';

/** Writes docs/explanations.md. */
writeFileSync(join(ROOT, 'docs', 'explanations.md'), explanationsDocument());
