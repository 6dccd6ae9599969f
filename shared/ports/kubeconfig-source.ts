/** The source of the kubeconfigs of WDSes, or of Fleet's management clusters. */
export interface KubeconfigSource {
  /** The place of each kubeconfig, in words for messages, by the name of the cluster. A cluster without a place is unknown. */
  readonly locations: ReadonlyMap<string, string>;
  /**
   * Reads the text of a cluster's kubeconfig. Unless `fresh` is true, the result may be some minutes old.
   *
   * @throws UnknownWdsError for a cluster without a place; WdsCredentialsError if its kubeconfig cannot be read.
   */
  read(wds: string, options: { readonly fresh: boolean }): Promise<string>;
}
