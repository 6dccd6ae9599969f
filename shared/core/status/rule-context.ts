import type { JsonValue } from '#shared/core/json.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import type { GenerationTranslator } from './source-generation.ts';

/** What the rule of a kind knows in addition to the rows. */
export interface RuleContext {
  /** The object as it is in the WDS. */
  readonly workload: WorkloadObject;
  /** The specs of the WECs' objects, by the hashes in the rows. */
  readonly specsByHash: ReadonlyMap<string, JsonValue>;
  readonly generations: GenerationTranslator;
}
