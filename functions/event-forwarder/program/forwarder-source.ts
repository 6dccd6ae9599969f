import type { ForwarderSource } from '#functions/event-forwarder/forwarder-options.ts';
import { parseResourceName } from '#shared/core/resource-name.ts';
import { NO_INVENTORY, type WecInventory } from '#shared/core/wec-inventory.ts';
import type { ForwarderConfig } from './config.ts';

type WecConfig = Extract<ForwarderConfig['source'], { readonly type: 'wec' }>;

/** The labels and annotations of the WEC. Absent if there are none. */
function inventoryOf({ labels, annotations }: WecConfig): { readonly inventory?: WecInventory } {
  if (labels === undefined && annotations === undefined) return {};
  return {
    inventory: { ...NO_INVENTORY, ...(labels && { labels }), ...(annotations && { annotations }) },
  };
}

function wecSource(config: WecConfig): ForwarderSource {
  const { name, wds, select } = config;
  const { appliedManifestWorks, labelSelector, resources } = select;
  if (appliedManifestWorks)
    return {
      type: 'wec',
      name,
      appliedManifestWorks: true,
      ...inventoryOf(config),
      ...(wds === undefined ? {} : { wds }),
    };
  if (wds === undefined) throw new TypeError('a configuration without the WDS of a WEC');
  return {
    type: 'wec',
    name,
    wds,
    ...inventoryOf(config),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(resources === undefined
      ? {}
      : { resources: resources.flatMap((text) => parseResourceName(text) ?? []) }),
  };
}

/** The source that the forwarder watches, from a configuration that was checked. */
export function forwarderSource(source: ForwarderConfig['source']): ForwarderSource {
  return source.type === 'wec' ? wecSource(source) : source;
}
