/**
 * The version of the rules by which events are made: what is conversation, what is told apart, what failed, what is redacted. A
 * session that was indexed by others is read anew, so raise it with every change that gives other events.
 */
export const INDEX_RULES = 3;
