import { isObject, type JsonObject, member } from '#shared/core/json.ts';

/** Where `kubectl apply` keeps the whole object as it was given. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** A Secret of the core group without what is secret of it: its data, also where kubectl has noted them. */
export function withoutSecretData(object: JsonObject): JsonObject {
  const { data: _data, stringData: _stringData, ...secret } = object;
  const { metadata } = secret;
  const annotations = member(metadata, 'annotations');
  if (!isObject(metadata) || !isObject(annotations)) return secret;
  const { [LAST_APPLIED]: _applied, ...kept } = annotations;
  return { ...secret, metadata: { ...metadata, annotations: kept } };
}
