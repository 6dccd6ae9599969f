import type { ForwarderSource } from '#functions/event-forwarder/forwarder-options.ts';
import { parseResourceName } from '#shared/core/resource-name.ts';
import type { ForwarderConfig } from './config.ts';

type WecConfig = Extract<ForwarderConfig['source'], { readonly type: 'wec' }>;

function wecSource({ name, wds, select }: WecConfig): ForwarderSource {
  const { appliedManifestWorks, labelSelector, resources } = select;
  if (appliedManifestWorks)
    return {
      type: 'wec',
      name,
      appliedManifestWorks: true,
      ...(wds === undefined ? {} : { wds }),
    };
  if (wds === undefined) throw new TypeError('a configuration without the WDS of a WEC');
  return {
    type: 'wec',
    name,
    wds,
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
