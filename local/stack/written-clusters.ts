import { noFleet, type Upstream } from '#functions/write-results/deps.ts';
import { createWriterMark, markedApi, type WriterMark } from '#shared/doctor/writer-mark.ts';
import { type ClusterType, FLEET_CLUSTER, UnknownWdsError, WDS_CLUSTER } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { StackCluster, StackOptions } from './stack-options.ts';

/** The clusters that the stack writes. */
export interface WrittenClusters {
  /**
   * The API of a WDS.
   *
   * @throws UnknownWdsError if no WDS was given
   */
  readonly wds: (name: string) => ObjectApi;
  /** A management cluster of Fleet. */
  readonly fleet: (name: string) => Upstream;
  /** Looks for another installation that writes a cluster, and reports it. */
  look(): void;
}

/** Clusters that are written only while each is marked for this installation. */
export function writtenClusters(
  options: Pick<StackOptions, 'wds' | 'fleet' | 'writer' | 'onWriter'>,
): WrittenClusters {
  const { wds, fleet, writer, onWriter } = options;
  const marks: WriterMark[] = [];
  const marked = (
    { name, context, kubeconfig, api }: StackCluster,
    { title }: ClusterType,
  ): ObjectApi => {
    const mark = createWriterMark({
      cluster: `${title} ${name}`,
      api,
      self: {
        ...writer,
        ...(context === undefined ? {} : { context }),
        ...(kubeconfig === undefined ? {} : { kubeconfig }),
      },
      clock: Date.now,
      onLook: (taken) => onWriter?.(name, taken?.message),
    });
    marks.push(mark);
    return markedApi(api, mark);
  };
  const wdsApi = wds && marked(wds, WDS_CLUSTER);
  const fleetApi =
    fleet?.mode === 'write' ? marked(fleet.cluster, FLEET_CLUSTER) : fleet?.cluster.api;
  return {
    wds: (name) => {
      // If anything is known about a WDS, a WDS was given.
      if (wdsApi === undefined) throw new UnknownWdsError(name, []);
      return wdsApi;
    },
    fleet: (name) =>
      fleet?.cluster.name === name && fleetApi !== undefined
        ? { api: fleetApi, mode: fleet.mode }
        : noFleet(name),
    look: () => {
      // An error here is ignored, because the first write causes it again.
      for (const mark of marks) void mark.ensure().catch(() => undefined);
    },
  };
}
