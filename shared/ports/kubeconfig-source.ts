/** Where the kubeconfigs of WDSes come from. */
export interface KubeconfigSource {
  /** The place of each WDS's kubeconfig, in words for messages, by name of the WDS. A WDS without one is unknown. */
  readonly places: ReadonlyMap<string, string>;
  /**
   * The text of a WDS's kubeconfig. What was read within the last minutes may be returned again unless it shall be
   * fresh.
   *
   * @throws UnknownWdsError for a WDS without a place; WdsCredentialsError when its kubeconfig cannot be had.
   */
  read(wds: string, options: { readonly fresh: boolean }): Promise<string>;
}
