import { selectableWec, WEC_FIELDS } from '#shared/core/status-api/selectable.ts';
import type { Wec } from '#shared/core/status-api/wec-status.ts';
import { ageCell, column, NOTHING } from './columns.ts';
import { integer, text, time } from './schema-parts.ts';
import type { ServedResource } from './served-resource.ts';

function count(number: number | undefined): string {
  return String(number ?? NOTHING);
}

/** The WECs. They are about no workload object, so one review suffices. */
export const WECS: ServedResource<Wec> = {
  names: { plural: 'wecs', singular: 'wec', kind: 'WEC', shortNames: [], namespaced: false },
  fields: WEC_FIELDS,
  words: {},
  columns: [
    column('Name', 'The name of the WEC.', ({ name }) => name),
    column('Last Contact', 'Since its last heartbeat.', ({ lastContact }, nowMs) =>
      ageCell(lastContact, nowMs),
    ),
    column('Silent', 'For how long it has been silent.', ({ silentSince }, nowMs) =>
      ageCell(silentSince, nowMs),
    ),
    column('Objects', 'The workload objects that are sent to it.', ({ objects }) => count(objects)),
    column('Unhealthy', 'Those of them that are not Healthy.', ({ unhealthyObjects }) =>
      count(unhealthyObjects),
    ),
    column(
      'Version',
      'The version of its forwarder.',
      ({ forwarderVersion }) => forwarderVersion ?? NOTHING,
    ),
  ],
  schema: {
    description:
      'A WEC (workload execution cluster). Its labels are those of its inventory object. It can only be read.',
    properties: {
      lastContact: time('When it last sent a heartbeat.'),
      silentSince: time('Since when it is silent. Absent if it is not.'),
      objects: integer('How many workload objects are sent to it. Absent if they are not counted.'),
      unhealthyObjects: integer(
        'How many of them have another health than Healthy in the WEC. Absent if they are not counted.',
      ),
      forwarderVersion: text(
        'The version of its forwarder. Absent if the forwarder has not told it.',
      ),
    },
  },
  nameOf: ({ name }) => ({ namespace: '', name }),
  createdOf: () => undefined,
  selectable: selectableWec,
  contentOf: ({ name: _name, ownLabels: _labels, ...content }) => ({ ...content }),
  read: (source, { name }, signal) => source.wec(name, signal),
  page: (source, request, signal) => source.wecs(request, signal),
  affectedBy: (changed) =>
    changed.type === 'wec'
      ? { type: 'one', name: { namespace: '', name: changed.wec } }
      : undefined,
  familyOf: () => '',
  gone: ({ name }) => ({ name, ownLabels: {} }),
};
