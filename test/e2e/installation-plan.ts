/** What installation-process.ts shall run. */
export interface InstallationPlan {
  /** A file with the context `wds`. */
  readonly kubeconfig: string;
  /** The WDS: its name and that of its context. */
  readonly wds: string;
  /** The state file. */
  readonly file: string;
  /** The tokens file. */
  readonly tokens: string;
  readonly silence: { readonly sweepMs?: number; readonly limitMs?: number };
}
