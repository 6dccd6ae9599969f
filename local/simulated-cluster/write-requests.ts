import { unknownFormat } from '#shared/api/messages.ts';
import { badRequest, methodNotAllowed, unsupportedMediaType } from '#shared/api/status-error.ts';
import { at, type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { type ApiRequest, bodyJson } from './api-request.ts';
import { type ApiTarget, type ClusterParts, selectionOf, storedNamespace } from './api-target.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import type { ChangeRequest } from './object-lifecycle.ts';
import { apiVersionOf, isCustom, type ResourceDefinition } from './resources.ts';
import { scaled, scaleOf } from './scale.ts';
import { metadataText, type StoredObject } from './stored-object.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

type Patching = (target: JsonObject, patch: JsonValue) => JsonValue;

const PATCHINGS: Readonly<Record<string, Patching>> = {
  'application/json-patch+json': applyJsonPatch,
  'application/merge-patch+json': applyMergePatch,
  'application/strategic-merge-patch+json': applyStrategicMergePatch,
};

/**
 * How a patch of this media type is applied to objects of this resource.
 *
 * @throws StatusError 415 for server-side apply, for a strategic merge patch of a custom resource and for any other
 *   type
 */
function patchingOf(mediaType: string, definition: ResourceDefinition): Patching {
  if (mediaType.startsWith('application/apply-patch+'))
    throw unsupportedMediaType(
      `server-side apply (${mediaType}) is not supported by a simulated cluster; use a merge patch, or kubectl apply without --server-side`,
    );
  const patching = PATCHINGS[mediaType];
  const known = Object.keys(PATCHINGS).filter(
    (type) => !(isCustom(definition) && type.includes('strategic')),
  );
  if (patching === undefined || !known.includes(mediaType))
    throw unsupportedMediaType(unknownFormat(known));
  return patching;
}

/** An answer: HTTP code and JSON text. */
export interface Answer {
  readonly code: number;
  readonly text: string;
}

/** A write request with its body. */
export interface Writing {
  readonly parts: ClusterParts;
  readonly target: ApiTarget;
  readonly request: ApiRequest;
  readonly body: Buffer | undefined;
}

function bodyOf({ body, request }: Writing): JsonValue {
  if (body === undefined) throw badRequest('the request has no body');
  return bodyJson(request.contentType, body);
}

function changeRequest({ target, request }: Writing, name: string): ChangeRequest {
  return {
    definition: target.definition,
    namespace: storedNamespace(target),
    name,
    part: target.subresource ?? 'main',
    manager: request.manager,
    dryRun: request.dryRun,
  };
}

function ok(stored: StoredObject, { target }: Writing): Answer {
  const scale = target.subresource === 'scale';
  return { code: 200, text: scale ? stringifyJson(scaleOf(stored.object)) : stored.text };
}

function create(writing: Writing): Answer {
  const { parts, target } = writing;
  if (target.definition.namespaced && target.namespace === undefined) throw methodNotAllowed();
  const stored = parts.lifecycle.create(changeRequest(writing, ''), bodyOf(writing));
  return { code: 201, text: stored.text };
}

function replace(writing: Writing, name: string): Answer {
  const body = bodyOf(writing);
  const make = (stored: JsonObject): JsonValue =>
    writing.target.subresource === 'scale' ? scaled(stored, body) : body;
  return ok(writing.parts.lifecycle.change(changeRequest(writing, name), make), writing);
}

function patch(writing: Writing, name: string): Answer {
  const { parts, target, request } = writing;
  const apply = patchingOf(request.contentType, target.definition);
  const body = bodyOf(writing);
  const make = (stored: JsonObject): JsonValue =>
    target.subresource === 'scale'
      ? scaled(stored, apply(scaleOf(stored), body))
      : apply(stored, body);
  return ok(parts.lifecycle.change(changeRequest(writing, name), make), writing);
}

function success(target: ApiTarget, stored: StoredObject): JsonObject {
  const { group, resource } = target.definition;
  const uid = metadataText(stored.object, 'uid');
  return {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Success',
    details: { name: stored.name, ...(group === '' ? {} : { group }), kind: resource, uid },
  };
}

function remove(writing: Writing, name: string): Answer {
  const { parts, target } = writing;
  const options = writing.body === undefined ? undefined : bodyOf(writing);
  const { last, gone } = parts.lifecycle.delete(changeRequest(writing, name), {
    uid: at(options, 'preconditions', 'uid'),
    resourceVersion: at(options, 'preconditions', 'resourceVersion'),
  });
  return { code: 200, text: gone ? stringifyJson(success(target, last)) : last.text };
}

function removeAll(writing: Writing): Answer {
  const { parts, target, request } = writing;
  if (target.definition.namespaced && target.namespace === undefined) throw methodNotAllowed();
  const selects = selectionOf(target, request.query);
  const selected = parts.store.list(target.key, target.namespace).filter(selects);
  for (const { name } of selected) parts.lifecycle.delete(changeRequest(writing, name));
  const head = {
    apiVersion: apiVersionOf(target.definition),
    kind: `${target.definition.kind}List`,
  };
  const items = selected.map(({ object }) => object);
  return { code: 200, text: stringifyJson({ ...head, metadata: {}, items }) };
}

/**
 * Answers POST, PUT, PATCH and DELETE.
 *
 * @throws StatusError as the rules of the API require
 */
export function answerWrite(writing: Writing): Answer {
  const { method } = writing.request;
  const { name, subresource } = writing.target;
  if (name === undefined) {
    if (method === 'POST') return create(writing);
    if (method === 'DELETE') return removeAll(writing);
    throw methodNotAllowed();
  }
  if (method === 'PUT') return replace(writing, name);
  if (method === 'PATCH') return patch(writing, name);
  if (method === 'DELETE' && subresource === undefined) return remove(writing, name);
  throw methodNotAllowed();
}
