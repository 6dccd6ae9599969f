/** Where the kubeconfigs of WDSes, or of Fleet's management clusters, come from. */
export interface KubeconfigSource {
  /** The place of each kubeconfig, in words for messages, by name of the cluster. A cluster without one is unknown. */
  readonly places: ReadonlyMap<string, string>;
  /**
   * The text of a cluster's kubeconfig. What was read within the last minutes may be returned again unless it shall be
   * fresh.
   *
   * @throws UnknownWdsError for a cluster without a place; WdsCredentialsError when its kubeconfig cannot be had.
   */
  read(wds: string, options: { readonly fresh: boolean }): Promise<string>;
}
