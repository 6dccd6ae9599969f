import type { Figure } from './figure.ts';
import { ARGO_CD } from './peers/argocd.ts';
import { fleet } from './peers/fleet.ts';
import { kubeStellar } from './peers/kubestellar.ts';
import { measurePeers } from './peers/peer.ts';

/** Folders with checkouts of peers. A peer without one is left out. */
export interface PeerFolders {
  readonly kubestellar?: string | undefined;
  readonly fleet?: string | undefined;
}

/** Starfold beside its peers: the same inputs in the same run, and the same result. Says which peers are left out. */
export function benchPeers(folders: PeerFolders): Promise<readonly Figure[]> {
  const peers = [ARGO_CD, kubeStellar(folders.kubestellar), fleet(folders.fleet)];
  return measurePeers(peers, (line) => process.stdout.write(`\n${line}\n`));
}
