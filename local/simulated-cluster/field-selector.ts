import { badRequest } from '#shared/api/status-error.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { noRequirement } from '#shared/core/status-api/messages.ts';

const TERM = /^([^=!]+?)(==|=|!=)(.*)$/;
const ALWAYS = ['metadata.name', 'metadata.namespace'];

/**
 * Compiles a field selector: `path=value`, `path==value` or `path!=value`, joined by commas. An absent field is `''`.
 *
 * @param fieldLabels paths that the resource supports in addition to `metadata.name` and `metadata.namespace`
 * @returns whether an object is selected
 * @throws StatusError 400 if it cannot be parsed or names another field
 */
export function compileFieldSelector(
  selector: string,
  fieldLabels: readonly string[] = [],
): (object: JsonObject) => boolean {
  const tests = selector
    .split(',')
    .filter((term) => term !== '')
    .map((term) => {
      const [, path, operator, wanted] = TERM.exec(term) ?? [];
      if (path === undefined) throw badRequest(noRequirement(selector, term));
      if (![...ALWAYS, ...fieldLabels].includes(path))
        throw badRequest(`field label not supported: ${path}`);
      const keys = path.split('.');
      return (object: JsonObject): boolean =>
        (String(at(object, ...keys) ?? '') === wanted) !== (operator === '!=');
    });
  return (object) => tests.every((test) => test(object));
}
