/** The cause, in `details.causes` of an error, of a query whose evaluation was ended. The same query would be ended again. */
export const QUERY_ENDED = 'QueryEnded';
