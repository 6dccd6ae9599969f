import type { JsonValue } from '#shared/core/json.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import type { GenerationTranslator } from './source-generation.ts';

/** What the rule of a kind knows besides the rows. */
export interface RuleContext {
  /** The object as it stands in the WDS. */
  readonly workload: WorkloadObject;
  /** The specs of the WECs' objects under the hashes that the rows name. */
  readonly specsByHash: ReadonlyMap<string, JsonValue>;
  readonly generations: GenerationTranslator;
}
